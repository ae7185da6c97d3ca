-- So many in flight at once. Each holds its permits by a lease that ends if nobody renews it: what an instance held that
-- is gone is free again after that time.
--
-- State: a sorted set. A member for each lease, with its end as the score: seven bytes that say for how many permits,
-- then the name of the lease. And the member 't', whose score is the number of all permits held, negated: it is never
-- among those whose lease has ended.
local limit, ttl, name
limit, ttl, name, at = unpack('>ddc16', argument, at)
local score = redis.pcall('ZSCORE', key, 't')
if type(score) == 'table' and wrong_type(score, 'ZSCORE') then
  -- what the others count is not held
  local _
  key, _, _, _, joined = apart(key, 5, 0, 0)
  score = call('ZSCORE', key, 't')
end
if not score and call('EXISTS', key) == 1 then
  error('not a state of a limit')
end
local held = -(score or 0)
local ended = held > 0 and call('ZRANGEBYSCORE', key, '(0', now) or {}
for i = 1, #ended do
  held = held - unpack('>I7', ended[i])
  call('ZREM', key, ended[i])
end
if #ended > 0 then
  if held > 0 then
    call('ZADD', key, -held, 't')
  else
    call('DEL', key)
  end
end
left = math.max(limit - held, 0)
refusal = (asked == 0 or asked <= limit - held) and 0 or -1

-- take

if count > 0 then
  held = held + count
  call('ZADD', key, now + ttl, pack('>I7', count) .. name, -held, 't')
  call('PEXPIRE', key, ceil(ttl / 1000) + grace)
  left = math.max(limit - held, 0)
end
reset = held > 0 and -1 or 0
