-- Renews the heartbeat of an instance, and counts the live instances.
--
-- KEYS[1]  sorted set: the time of the last heartbeat of each instance
-- ARGV[1]  packed: the lifetime of a heartbeat in microseconds
-- ARGV[2]  the name of this instance
-- reply    packed: the number of live instances
local forgotten = struct.unpack('>d', ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - forgotten)
redis.call('PEXPIRE', KEYS[1], math.ceil(forgotten / 1000))
return struct.pack('>d', redis.call('ZCARD', KEYS[1]))
