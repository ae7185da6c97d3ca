algorithms[3] = function(key, permits, mark)
  local length, buckets
  length, buckets, at = unpack('>dd', argument, at)
  local stored = read(key, 3)
  if not stored then
    return
  end
  local _, newest, length_then, buckets_then, from = unpack('>BI7I7I2', stored)
  local place = newest - mark
  if length_then ~= length or buckets_then ~= buckets or place < 0 or place > buckets then
    return
  end
  local total = unpack('>I7', stored, from + 7 * buckets + 7)
  local last = from + 7 * buckets + 6
  from = from + 7 * place
  local count = unpack('>I7', stored, from)
  local kept = math.max(count - permits, 0)
  local counts = stored:sub(1, from - 1) .. pack('>I7', kept) .. stored:sub(from + 7, last)
  call('SET', key, counts .. pack('>I7', total - count + kept), 'KEEPTTL')
end
