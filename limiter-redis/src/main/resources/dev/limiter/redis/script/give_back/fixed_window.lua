
-- The mark is the end of the window in which the permits count: the window of the state, or the next one. The length is that
-- of the window that ends there: windows of a calendar differ.
kinds[2] = function(key, mark)
  local length
  length, at = unpack('>d', ARGV[1], at)
  key = place(key, 2, length)
  local stored = read(key, 2)
  if not stored then
    return
  end
  local _, began, ends, used, taken = unpack('>BI7I7I7I7', stored)
  local begins = mark - length
  local present = mark == ends and begins == began
  if not present and begins ~= ends then
    -- the window has ended, or is one of another form of the limit
    return
  end
  if present and (ends <= now or taken > 0) then
    -- the window has ended, or requests wait for the next one because this one has no permits left
    return
  end
  if present then
    used = max(used - permits, 0)
  else
    taken = max(taken - permits, 0)
  end
  call('SET', key, pack('>BI7I7I7I7', 2, began, ends, used, taken), 'KEEPTTL')
end
