algorithms[4] = function(key, permits, mark)
  local floor = math.floor
  local length
  length, at = unpack('>d', argument, at)
  if call('TYPE', key).ok ~= 'list' or tonumber(call('LINDEX', key, 1)) ~= length then
    return
  end
  local pairs_held = (call('LLEN', key) - 2) / 2
  local low, high = 0, pairs_held
  while low < high do
    local middle = floor((low + high) / 2)
    if tonumber(call('LINDEX', key, 2 * middle + 2)) < mark then
      low = middle + 1
    else
      high = middle
    end
  end
  if low >= pairs_held or tonumber(call('LINDEX', key, 2 * low + 2)) ~= mark then
    return
  end
  local then_taken = tonumber(call('LINDEX', key, 2 * low + 3))
  local returned = math.min(permits, then_taken)
  local total = call('LINDEX', key, 0) - returned
  if total == 0 then
    call('DEL', key)
    return
  end
  call('LSET', key, 2 * low + 3, then_taken - returned)
  call('LSET', key, 0, total)
  -- the last entry determines the reset time, so empty entries at the end are removed
  for _ = 1, 1000 do
    if tonumber(call('LINDEX', key, -1)) > 0 then
      break
    end
    -- not an error, which would cause the permits to be returned again; entries without permits are harmless
    if redis.pcall('LTRIM', key, 0, -3).err then
      break
    end
  end
end
