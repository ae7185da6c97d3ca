
-- The mark is the end of the window in which the permits count: the one that is in the state, or the one after it.
kinds[2] = function(key, mark)
  local stored = call('GET', key)
  if not stored then
    return
  end
  local ends, used, taken = unpack('>I7I7I7', stored)
  if ends < now and taken == 0 or mark < ends then
    return
  end
  if mark == ends then
    used = max(used - permits, 0)
  else
    taken = max(taken - permits, 0)
  end
  call('SET', key, pack('>I7I7I7', ends, used, taken), 'KEEPTTL')
end
