
-- Releases a hold, unless it has expired.
kinds[5] = function(key)
  local name
  name, at = unpack('>c16', ARGV[1], at)
  key = place(key, 5)
  if unless_other(try('ZREM', key, pack('>I7', permits) .. name), 'ZREM') == 1 then
    local held = call('ZINCRBY', key, permits, 't')
    if tonumber(held) >= 0 then
      call('DEL', key)
    end
  end
end
