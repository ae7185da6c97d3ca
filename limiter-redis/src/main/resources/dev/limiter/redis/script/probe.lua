-- Fails unless the server accepts writes, which decisions need.
--
-- KEYS[1]  a key reserved for probes
redis.call('SET', KEYS[1], '', 'PX', 1000)
return ''
