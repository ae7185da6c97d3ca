
-- Permits are returned only if they have certainly not leaked: the bucket would grant others twice. A charge ends at its
-- mark, and each permit returned since by other requests may have moved its end towards now by one permit. A charge never
-- leaks sooner than in an empty bucket. After a change of the limit it leaks at the faster of both rates. No permits are
-- returned while requests wait behind the charge: their turns are fixed, and the bucket would grant the permits twice.
kinds[1] = function(key, mark, returned_before)
  local micro, permit, full
  micro, permit, full, at = unpack('>ddd', ARGV[1], at)
  key = place(key, 1)
  local stored = read(key, 1)
  if not stored then
    return
  end
  local form = #stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
  local _, written, level, expires, waiting, units, cost, from = unpack(form, stored)
  local returned = #stored >= 35 and unpack('>I7', stored, from) or 0
  level = max(level - max(now - written, 0) * units, 0)
  local alike, charged = units == micro and cost == permit, permits * permit
  local leaked = max(now - taken_at, 0) * (alike and micro or max(micro, ceil(units / cost * permit)))
  local ended = max(mark - leaked, 0)
  local last = written == taken_at and alike and level == ended
  local visible = max(ended - max(returned - returned_before, 0) * permit, charged - leaked, 0)
  visible = min(visible, charged)
  if cost ~= permit then
    visible = floor(visible / permit * cost)
  end
  visible = min(visible, level)
  -- the count of returned permits stays exact
  local counts = returned + permits <= 2 ^ 52
  if visible > 0 and counts and (last or waiting == 0 or level <= full / permit * cost) then
    level = level - visible
    if level <= 0 and returned == 0 then
      -- no charge is left in the bucket
      call('DEL', key)
    else
      local state = pack(form .. 'I7', 1, now, max(level, 0), expires, waiting, units, cost, returned + permits)
      call('SET', key, state, 'KEEPTTL')
    end
  end
end
