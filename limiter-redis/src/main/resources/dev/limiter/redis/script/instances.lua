-- Counts the instances that are there.
--
-- KEYS[1]  when each of them last said so
-- ARGV[1]  packed: after how many microseconds one is forgotten
-- ARGV[2]  the name of the one that says so now
-- answers  packed: how many they are
local forgotten = struct.unpack('>d', ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - forgotten)
redis.call('PEXPIRE', KEYS[1], math.ceil(forgotten / 1000))
return struct.pack('>d', redis.call('ZCARD', KEYS[1]))
