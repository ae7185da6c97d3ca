-- Decides requests, all of whose limits are on this node. Either all limits of a request permit it, or nothing is written
-- for it. A script is put together of this start and what its requests need. For one request with one limit that is
-- `one.lua`, into which the algorithm is written out; else `several.lua`, with a function for each algorithm where it is the
-- last limit of a request, and another one where it is not.
--
-- KEYS     the state of each limit, request by request
-- ARGV     for each request, packed: the time in microseconds, negative for the server's; what to do: take the permits (0),
--          look only (1), or take as many as there are (2); how many of these are needed at once; how many limits it has;
--          then, for each of them, the number of the algorithm, permits, how many more have to be there, how long the
--          request would wait, and what the algorithm unpacks for itself
-- answers  for each request, packed: how many bytes follow; the time, or -1 - time if refused; for how long the request has
--          to wait; how many permits were taken, if as many as there are; then four numbers for each limit: the permits
--          left; until when it refuses or, after permits were taken, would refuse the next one (0: it does not, -1: nobody
--          knows); until when it is as new; and a mark that giving back needs. Or only the time, if what the request says
--          of a calendar does not reach it. Of a request that failed: how many bytes follow, negated, and why it failed
--
-- Numbers are whole, and below 2^53 where they have to be exact. Times are never written as text: Lua cuts that to 14
-- digits. States that are strings begin with the number of their algorithm; then come integers of seven bytes.
--
-- Each function costs as much as it takes from around it, also when it is not called: so those that are seldom needed
-- take nothing.
local spread = unpack
local pack, unpack, call, try, floor, ceil = struct.pack, struct.unpack, redis.call, redis.pcall, math.floor, math.ceil

local argument = ARGV[1]
local now, mode, needed, limits, at = unpack('>dBdd', argument)
local dry = mode == 1
-- A state outlives its use by so many milliseconds; where the caller's time counts, the server's must not end it.
local grace = 3600000
if now < 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  grace = 1000
end

-- Whether that is an error because a key holds another type: any other error is one here, too.
local function wrong_type(reply)
  if reply.err and not reply.err:find('WRONGTYPE', 1, true) then
    error(reply.err)
  end
  return reply.err ~= nil
end

-- The state of a key if it is a string of that algorithm; and whether there is one of another algorithm instead.
local function read(key, kind)
  local stored = try('GET', key)
  if not stored then
    return false, false
  end
  if stored.err then
    return false, wrong_type(stored)
  end
  if stored:byte(1) ~= kind then
    return false, true
  end
  return stored, false
end

-- a * b / c, rounded down, and what is left over: exact for a below 2^53, b and c below 2^50 and a quotient below 2^53.
-- Beyond that, a little less.
local function scaled(a, b, c)
  local floor = math.floor
  if a * b <= 2 ^ 52 then
    local quotient = floor(a * b / c)
    return quotient, a * b - quotient * c
  end
  if b >= 2 ^ 50 or c >= 2 ^ 50 then
    return math.max(floor(a / c * b * (1 - 2 ^ -50)) - 1, 0), 0
  end
  -- long division, a in digits of so many bits that nothing passes 2^53
  local bits = (b < 2 ^ 40 and c < 2 ^ 40) and 12 or (b < 2 ^ 46 and c < 2 ^ 46) and 6 or 2
  local digit, quotient, rest = 2 ^ bits, 0, 0
  for shift = 54 - 54 % bits, 0, -bits do
    local part = rest * digit + floor(a / 2 ^ shift) % digit * b
    quotient = quotient * digit + floor(part / c)
    rest = part % c
  end
  return quotient, rest
end

-- The same, rounded up; beyond what is exact, a little more.
local function scaled_up(a, b, c)
  if b >= 2 ^ 50 or c >= 2 ^ 50 then
    return a * b <= 2 ^ 52 and math.ceil(a * b / c) or math.ceil(a / c * b * (1 + 2 ^ -50)) + 1
  end
  local quotient, rest = scaled(a, b, c)
  return rest > 0 and quotient + 1 or quotient
end

-- What a rule of the same name used when it had another algorithm, or another window: how many permits count now, and in
-- how many microseconds none does. They are taken over as if they were taken now, unless the limit cannot hold so many:
-- then everybody is refused while that state lasts, since what it cannot hold would be forgotten.
local function left_by_another(key, now)
  local call, unpack = redis.call, struct.unpack
  local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
  local kind = call('TYPE', key).ok
  if kind == 'list' then
    local list = call('LRANGE', key, 0, -1)
    local length, counting = tonumber(list[2]), 0
    for i = 3, #list, 2 do
      counting = counting + (list[i] + length > now and list[i + 1] or 0)
    end
    return counting, min(list[#list - 1] + length - now, length)
  end
  if kind == 'zset' then
    local leases, held = call('ZRANGEBYSCORE', key, ('(%.0f'):format(now), '+inf', 'WITHSCORES'), 0
    for i = 1, #leases, 2 do
      held = held + unpack('>I7', leases[i])
    end
    return held, held > 0 and leases[#leases] - now or 0
  end
  local stored = call('GET', key)
  kind = stored:byte(1)
  if kind == 1 then
    local _, written, level, _, _, units, cost =
      unpack(#stored == 28 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7', stored)
    level = max(level - max(now - written, 0) * units, 0)
    return ceil(level / cost), ceil(level / units)
  end
  if kind == 2 then
    local _, began, ends, used, taken = unpack('>BI7I7I7I7', stored)
    if now >= ends then
      used, began, ends = taken, ends, 2 * ends - began
    end
    return now < ends and used or 0, min(ends - now, ends - began)
  end
  if kind == 3 then
    local _, newest, length, buckets, from = unpack('>BI7I7I2', stored)
    local passed = max(floor((now / length - newest / buckets) * buckets), 0)
    local total = 0
    for i = 1, buckets + 1 - passed do
      local count
      count, from = unpack('>I7', stored, from)
      total = total + count
    end
    return total, ceil(length / buckets * (buckets + 1))
  end
  if kind == 6 then
    local _, written, ahead, _, _, _, _, units = unpack('>BI7I7I7ddBI7', stored)
    local lasts = ceil(ahead / units) - max(now - written, 0)
    return lasts > 0 and 1 or 0, lasts
  end
  error('not a state of a limit')
end
