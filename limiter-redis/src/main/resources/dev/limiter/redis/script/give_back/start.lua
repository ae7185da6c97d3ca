-- Returns the permits of a decision that still count: never above the capacity, never into a later window.
--
-- KEYS     the state of each limit
-- ARGV[1]  packed: the time in microseconds, negative for the server's; the time of the decision by the same clock; then,
--          for each key, the number of the algorithm, the permits, the mark and the count of returned permits from the
--          reply of the decision, and the arguments of the algorithm
local pack, unpack, call, try = struct.pack, struct.unpack, redis.call, redis.pcall
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min

local now, taken_at, at = unpack('>dd', ARGV[1])
if now < 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

-- The key of the state of a form of the limit: the layout of `apart` in decide/start.lua.
local function place(key, kind, length, buckets)
  if call('TYPE', key).ok ~= 'hash' then
    return key
  end
  return ('%s~%d:%.0f:%d'):format(key, kind, length or 0, buckets or 0)
end

-- The reply of a command, nil if the key holds another type. Any other error is raised: the client must not take the
-- permits for returned.
local function unless_other(reply, command)
  if type(reply) == 'table' and reply.err then
    if not reply.err:find('WRONGTYPE', 1, true) then
      error(command .. ': ' .. reply.err)
    end
    return nil
  end
  return reply
end

-- The state of a key if it is a string of this algorithm. Permits that another algorithm has counted are not returned:
-- its state does not tell requests apart.
local function read(key, kind)
  local stored = unless_other(try('GET', key), 'GET')
  return type(stored) == 'string' and stored:byte(1) == kind and stored
end

-- The permits to return to the current key.
local permits

-- The number of an algorithm -> function(key, mark, count of permits returned before the decision).
local kinds = {}
