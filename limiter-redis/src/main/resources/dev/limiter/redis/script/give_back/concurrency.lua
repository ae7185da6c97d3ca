
-- Releases a hold, unless it has expired.
kinds[5] = function(key)
  local name
  name, at = unpack('>c16', ARGV[1], at)
  key = place(key, 5)
  local hold = pack('>I7', permits) .. name
  local expires = unless_other(try('ZSCORE', key, hold), 'ZSCORE')
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
