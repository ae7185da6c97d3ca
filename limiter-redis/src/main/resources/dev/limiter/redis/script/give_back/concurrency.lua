algorithms[5] = function(key, permits)
  local name
  name, at = unpack('>c16', argument, at)
  local hold = pack('>I7', permits) .. name
  local expires = call('TYPE', key).ok == 'zset' and call('ZSCORE', key, hold)
  if expires then
    -- the removal comes first: it is possible with a full memory
    call('ZREM', key, hold)
    local held = redis.pcall('ZINCRBY', key, permits, 't')
    if type(held) == 'table' and held.err then
      call('ZADD', key, expires, hold)
      error('ZINCRBY: ' .. held.err)
    end
    if tonumber(held) >= 0 then
      call('DEL', key)
    end
  end
end
