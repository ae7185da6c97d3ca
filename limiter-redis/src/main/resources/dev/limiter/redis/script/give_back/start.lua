-- Gives back what a request took, as far as it still counts: never beyond full, never into a later window.
--
-- KEYS     the state of each limit
-- ARGV[1]  packed: the time in microseconds, negative for the server's; when the permits were taken, by the same clock; then, for
--          each key, the number of the algorithm, how many permits, the mark and how many permits had been returned, as it
--          answered them, and what it unpacks for itself
local pack, unpack, call, try = struct.pack, struct.unpack, redis.call, redis.pcall
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min

local now, taken_at, at = unpack('>dd', ARGV[1])
if now < 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

-- Where a form of the limit has its state while instances decide by several, as `apart` of decide says.
local function place(key, kind, length, buckets)
  if call('TYPE', key).ok ~= 'hash' then
    return key
  end
  return ('%s~%d:%.0f:%d'):format(key, kind, length or 0, buckets or 0)
end

-- The answer of a key that may hold another type by now; nil if it does. Any other error is one here, too: what is given
-- back must not be taken for done then.
local function unless_other(reply, command)
  if type(reply) == 'table' and reply.err then
    if not reply.err:find('WRONGTYPE', 1, true) then
      error(command .. ': ' .. reply.err)
    end
    return nil
  end
  return reply
end

-- The state of a key if it is a string of that algorithm. What another one has counted since, cannot be told apart: of that
-- nothing is given back.
local function read(key, kind)
  local stored = unless_other(try('GET', key), 'GET')
  return type(stored) == 'string' and stored:byte(1) == kind and stored
end

-- Of the key whose turn it is.
local permits

-- Number of an algorithm -> function(key, mark, how many permits had been returned).
local kinds = {}
