-- Whether the server does what decisions need: it writes.
--
-- KEYS[1]  a key for nothing else
redis.call('SET', KEYS[1], '', 'PX', 1000)
return ''
