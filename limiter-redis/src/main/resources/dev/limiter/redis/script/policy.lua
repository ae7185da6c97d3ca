-- What the server deletes when its memory is full, or nothing if this user may not ask.
--
-- KEYS[1]  any key, for its node
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and info:match('maxmemory_policy:(%S+)') or ''
