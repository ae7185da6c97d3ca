algorithms[1] = function(key, permits, mark, returned_before)
  local floor, ceil = math.floor, math.ceil
  local micro, permit, full
  micro, permit, full, at = unpack('>ddd', argument, at)
  local stored = read(key, 1)
  if not stored then
    return
  end
  local form = #stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
  local _, written, level, expires, flags, units, cost, from = unpack(form, stored)
  local alike = units == micro and cost == permit
  if flags >= 2 and not alike then
    -- the bucket may have forgotten these permits
    return
  end
  local returned = #stored >= 35 and unpack('>I7', stored, from) or 0
  level = math.max(level - math.max(now - written, 0) * units, 0)
  local charged = permits * permit
  local leaked = math.max(now - taken_at, 0) * (alike and micro or math.max(micro, ceil(units / cost * permit)))
  local ended = math.max(mark - leaked, 0)
  local last = written == taken_at and alike and level == ended
  local visible = math.max(ended - math.max(returned - returned_before, 0) * permit, charged - leaked, 0)
  visible = math.min(visible, charged)
  if cost ~= permit then
    visible = floor(visible / permit * cost)
  end
  visible = math.min(visible, level)
  -- the count of returned permits stays exact
  local counts = returned + permits <= 2 ^ 52
  if visible > 0 and counts and (last or flags % 2 == 0 or level <= full / permit * cost) then
    level = level - visible
    if level <= 0 and returned == 0 then
      -- no charge is left in the bucket
      call('DEL', key)
    else
      local state = pack(form .. 'I7', 1, now, math.max(level, 0), expires, flags, units, cost, returned + permits)
      call('SET', key, state, 'KEEPTTL')
    end
  end
end
