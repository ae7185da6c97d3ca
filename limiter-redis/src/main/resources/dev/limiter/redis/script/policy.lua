-- Reads the eviction policy of the server.
--
-- KEYS[1]  any key of the node
-- reply    the policy, or an empty string if the user lacks the permission
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and info:match('maxmemory_policy:(%S+)') or ''
