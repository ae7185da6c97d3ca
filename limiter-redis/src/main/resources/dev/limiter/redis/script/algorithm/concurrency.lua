-- A limit of requests in flight. Each request has a hold on its permits, which expires unless it is renewed: the permits
-- of a crashed instance become free after the hold time.
--
-- State: a sorted set. Each hold is a member: the permits in seven bytes, then the name of the hold; its score is the time
-- of expiry. The score of the member 't' is the negated number of all permits held: it is never among the expired holds.
decide[5] = function(key, asked, permits, patience, count, delay)
  local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0
  local limit, ttl, name
  limit, ttl, name, at = unpack('>ddc16', argument, at)
  local score = redis.pcall('ZSCORE', key, 't')
  if type(score) == 'table' and wrong_type(score, 'ZSCORE') then
    -- permits that other algorithms have counted are not held
    local _
    key, _, _, _, joined = apart(key, 5, 0, 0)
    score = call('ZSCORE', key, 't')
  end
  if not score and call('EXISTS', key) == 1 then
    error('not a state of a limit')
  end
  local held = -(score or 0)
  -- Expired holds. A call removes no more than its budget admits; the next calls remove the rest, and a hold counts until
  -- its removal.
  local ended = held > 0 and call('ZRANGEBYSCORE', key, '(0', now, 'LIMIT', 0, math.max(budget, 32)) or {}
  if #ended > 0 then
    budget = budget - #ended
    local free = 0
    for i = 1, #ended do
      free = free + unpack('>I7', ended[i])
    end
    held = held - free
    if held > 0 then
      call('ZREM', key, spread(ended))
      local counted = try('ZINCRBY', key, free, 't')
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
  left = limit - held
  refusal = (asked == 0 or asked <= limit - held) and 0 or -1

  if not count then
    count, delay = granted(refusal, wait, left, longest, permits), wait
  end
  local reset, mark = 0, 0
  if count > 0 then
    held = held + count
    call('ZADD', key, now + ttl, pack('>I7', count) .. name, -held, 't')
    call('PEXPIRE', key, ceil(ttl / 1000) + grace)
    left = limit - held
  end
  reset = held > 0 and -1 or 0
  if joined and (count > 0 or renewed) then
    joined(count)
  end
  return left, refusal, reset, mark, returned, wait, longest
end

give_back[5] = function(key, permits)
  local name
  name, at = unpack('>c16', argument, at)
  key = place(key, 5)
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
