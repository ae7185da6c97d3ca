algorithms[2] = function(key, permits, mark)
  local length
  length, at = unpack('>d', argument, at)
  local stored = read(key, 2)
  if not stored then
    return
  end
  local _, began, ends, used, taken = unpack('>BI7I7I7I7', stored)
  local begins = mark - length
  local present = mark == ends and begins == began
  local next = begins == ends and math.abs(length / (ends - began) - 1) < 0.2
  if not present and not next then
    -- the window has ended, or is one of another form of the limit
    return
  end
  if present and (ends <= now or taken > 0) then
    -- the window has ended, or requests wait for the next one because this one has no permits left
    return
  end
  if present then
    used = math.max(used - permits, 0)
  else
    taken = math.max(taken - permits, 0)
  end
  call('SET', key, pack('>BI7I7I7I7', 2, began, ends, used, taken), 'KEEPTTL')
end
