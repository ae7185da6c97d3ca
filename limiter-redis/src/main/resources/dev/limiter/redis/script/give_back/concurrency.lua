give_back[5] = function(key, permits)
  local name
  name, at = unpack('>c16', argument, at)
  local hold = pack('>I7', permits) .. name
  local expires = try('ZSCORE', key, hold)
  if type(expires) == 'table' and wrong_type(expires, 'ZSCORE') then
    return
  end
  if expires then
    -- the removal comes first: it is possible with a full memory
    call('ZREM', key, hold)
    local held = try('ZINCRBY', key, permits, 't')
    if type(held) == 'table' and held.err then
      call('ZADD', key, expires, hold)
      error('ZINCRBY: ' .. held.err)
    end
    if tonumber(held) >= 0 then
      call('DEL', key)
    end
  end
end
