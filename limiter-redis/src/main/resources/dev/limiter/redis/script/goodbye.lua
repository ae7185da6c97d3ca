-- Counts an instance no longer.
--
-- KEYS[1]  when each of them last said so
-- ARGV[1]  the name of the one that goes
redis.call('ZREM', KEYS[1], ARGV[1])
return ''
