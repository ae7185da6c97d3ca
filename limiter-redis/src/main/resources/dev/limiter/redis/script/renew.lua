-- Extends holds that are not released.
--
-- KEYS[1]  the state of a concurrency limit
-- ARGV[1]  packed: the time in microseconds, negative for the server's; the hold time in microseconds
-- ARGV...  the members of the holds
local now, ttl = struct.unpack('>dd', ARGV[1])
local grace = 3600000
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
  grace = 1000
end
local key = KEYS[1]
if redis.call('TYPE', key).ok ~= 'zset' or not redis.call('ZSCORE', key, 't') then
  -- the key holds the state of another algorithm, or no state
  return ''
end
for i = 2, #ARGV do
  redis.call('ZADD', key, 'XX', now + ttl, ARGV[i])
end
redis.call('PEXPIRE', key, math.ceil(ttl / 1000) + grace)
return ''
