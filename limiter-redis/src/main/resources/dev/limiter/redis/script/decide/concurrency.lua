-- A limit of requests in flight. Each request has a hold on its permits, which expires unless it is renewed: the permits
-- of a crashed instance become free after the hold time.
--
-- State: a sorted set. Each hold is a member: the permits in seven bytes, then the name of the hold; its score is the time
-- of expiry. The score of the member 't' is the negated number of all permits held: it is never among the expired holds.
algorithms[5] = function(key, asked, permits, patience, count)
  local floor, ceil = math.floor, math.ceil
  local limit, ttl, name
  limit, ttl, name, at = unpack('>ddc16', argument, at)
  local score = redis.pcall('ZSCORE', key, 't')
  local other = type(score) == 'table'
  if other then
    if not score.err:find('WRONGTYPE', 1, true) then
      error('ZSCORE: ' .. score.err)
    end
    -- permits that other algorithms have counted are not held
    read(key, 0, 0, 0)
    score = nil
  elseif not score and call('EXISTS', key) == 1 then
    error('not a state of a limit')
  end
  local held = -(score or 0)
  -- Expired holds. The next calls remove those that this one leaves; a hold counts until its removal.
  local ended = held > 0 and call('ZRANGEBYSCORE', key, '(0', now, 'LIMIT', 0, math.max(floor(1000 / #KEYS), 32)) or {}
  if #ended > 0 then
    local free = 0
    for i = 1, #ended do
      free = free + unpack('>I7', ended[i])
    end
    held = held - free
    if held > 0 then
      call('ZREM', key, spread(ended))
      local counted = redis.pcall('ZINCRBY', key, free, 't')
      if type(counted) == 'table' and counted.err then
        -- the permits of a hold count until its removal
        for i = 1, #ended do
          call('ZADD', key, 1, ended[i])
        end
        error('ZINCRBY: ' .. counted.err)
      end
    else
      call('DEL', key)
    end
  end
  local left = limit - held
  local rejection = (asked == 0 or asked <= limit - held) and 0 or -1

  if not count then
    count = granted(rejection, 0, left, 2 ^ 53, permits)
  end
  if count > 0 then
    held = held + count
    local place = other and key .. '~new' or key
    if other then
      call('UNLINK', place)
    end
    call('ZADD', place, now + ttl, pack('>I7', count) .. name, -held, 't')
    call('PEXPIRE', place, ceil(ttl / 1000) + grace)
    if other then
      call('RENAME', place, key)
    end
    left = limit - held
  end
  return left, rejection, held > 0 and -1 or 0, 0, 0, 0, 2 ^ 53
end
