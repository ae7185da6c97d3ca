-- Removes the heartbeat of an instance that shuts down.
--
-- KEYS[1]  sorted set: the time of the last heartbeat of each instance
-- ARGV[1]  the name of this instance
redis.call('ZREM', KEYS[1], ARGV[1])
return ''
