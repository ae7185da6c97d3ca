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
--          to wait; how many permits were taken, if as many as there are; then five numbers for each limit: the permits
--          left; until when it refuses or, after permits were taken, would refuse the next one (0: it does not, -1: nobody
--          knows); until when it is as new; and a mark and how many permits were ever returned, which giving back needs. Or
--          only the time, if what the request says of a calendar does not reach it. Of a request that failed: how many bytes follow, negated, and why it failed
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
local function wrong_type(reply, command)
  if reply.err and not reply.err:find('WRONGTYPE', 1, true) then
    error(command .. ': ' .. reply.err)
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
    return false, wrong_type(stored, 'GET')
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

-- The form of a state: which algorithm wrote it, and for which window.
local function form_of(key)
  local kind, length, buckets = redis.call('TYPE', key).ok, 0, 0
  if kind == 'list' then
    kind, length = 4, redis.call('LINDEX', key, 1)
  elseif kind == 'zset' then
    kind = 5
  else
    local stored = redis.call('GET', key)
    kind = stored:byte(1)
    if kind == 2 then
      local _, began, ends = struct.unpack('>BI7I7', stored)
      length = ends - began
    elseif kind == 3 then
      local _, _, window, number = struct.unpack('>BI7I7I2', stored)
      length, buckets = window, number
    end
  end
  return ('%d:%.0f:%d'):format(kind, length, buckets)
end

-- The use of a rule of the same name while it had another algorithm, or another window: the permits that still count there,
-- as {from, to, count}, the oldest first, each entry taken evenly between two times; and in how many microseconds none counts.
local function left_by_another(key)
  local call, unpack, now = redis.call, struct.unpack, now
  local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
  local kind = call('TYPE', key).ok
  if kind == 'none' then
    return {}, 0
  end
  local uses = {}
  if kind == 'list' then
    local list = call('LRANGE', key, 0, 2003)
    local length = tonumber(list[2])
    if #list > 2002 then
      -- so many are as good as even
      local oldest, newest = tonumber(list[3]), tonumber(call('LINDEX', key, -2))
      return {{min(oldest, now), min(newest, now), tonumber(list[1])}}, min(newest + length - now, length)
    end
    for i = 3, #list, 2 do
      local taken = min(tonumber(list[i]), now)
      if taken + length > now then
        uses[#uses + 1] = {taken, taken, tonumber(list[i + 1])}
      end
    end
    return uses, min(list[#list - 1] + length - now, length)
  end
  if kind == 'zset' and call('ZSCORE', key, 't') then
    local leases, held = call('ZRANGEBYSCORE', key, ('(%.0f'):format(now), '+inf', 'WITHSCORES'), 0
    for i = 1, #leases, 2 do
      held = held + unpack('>I7', leases[i])
    end
    return held > 0 and {{now, now, held}} or uses, held > 0 and leases[#leases] - now or 0
  end
  local stored = call('GET', key)
  kind = stored:byte(1)
  if kind == 1 then
    local _, written, level, _, _, units, cost =
      unpack(#stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7', stored)
    level = max(level - max(now - written, 0) * units, 0)
    return {{now, now, ceil(level / cost)}}, ceil(level / units)
  end
  if kind == 2 then
    local _, began, ends, used, taken = unpack('>BI7I7I7I7', stored)
    if now >= ends then
      used, began, ends = taken, ends, 2 * ends - began
    end
    return now < ends and {{min(began, now), now, used}} or uses, min(ends - now, ends - began)
  end
  if kind == 3 then
    local _, newest, length, buckets, from = unpack('>BI7I7I2', stored)
    local size = length / buckets
    for i = 1, buckets + 1 do
      local count
      count, from = unpack('>I7', stored, from)
      local start = min(floor((newest - i + 1) * size), now)
      if count > 0 and start + length + size > now then
        table.insert(uses, 1, {start, min(floor(start + size), now), count})
      end
    end
    return uses, ceil(size * (buckets + 1))
  end
  if kind == 6 then
    local _, written, ahead, _, _, _, _, units = unpack('>BI7I7I7ddBI7', stored)
    local lasts = ceil(ahead / units) - max(now - written, 0)
    return lasts > 0 and {{now, now, 1}} or uses, lasts
  end
  error('not a state of a limit')
end

-- Those since a time. Returns them, and how many permits that is.
local function since(time, uses)
  local recent, total = {}, 0
  for _, use in ipairs(uses) do
    local from, to, count = use[1], use[2], use[3]
    if from < time and to > time then
      from, count = time, math.ceil(count * (to - time) / (to - from))
    end
    if from >= time and count > 0 then
      recent[#recent + 1] = {from, to, count}
      total = total + count
    end
  end
  return recent, total
end

-- The level of a bucket that has leaked so many units per microsecond meanwhile.
local function level_of(uses, units, cost)
  local max, level, reached = math.max, 0, 0
  for _, use in ipairs(uses) do
    level = max(level - max(use[1] - reached, 0) * units, 0)
    level = max(level + use[3] * cost - (use[2] - use[1]) * units, 0)
    reached = use[2]
  end
  return math.ceil(max(level - (now - reached) * units, 0))
end

-- Under this key another form of the limit has its state: the rule has had another algorithm or window, and some instances
-- may decide by that still. From the first permit on each form has a state of its own, `key~form`, and under the key itself
-- is a hash: how many permits were taken by each form; how many of them each other one has counted (`form<other`); and when
-- each took the last one (`form@`). So each counts what the others take, once, as it learns of it.
--
-- Returns the key of this form's state; how many permits the others have taken since it was asked last; what they had used,
-- if it is asked for the first time, and for how long that counts; a function that writes how many were taken now, after the
-- state has been written; and when it was asked last.
local function apart(key, kind, length, buckets)
  local call = redis.call
  local form = ('%d:%.0f:%d'):format(kind, length, buckets)
  local own, now, known, others, late = key .. '~' .. form, now, {}, {}, 0
  local shared = call('TYPE', key).ok == 'hash'
  if shared then
    local fields = call('HGETALL', key)
    for i = 1, #fields, 2 do
      known[fields[i]] = tonumber(fields[i + 1])
      if fields[i] ~= form and not fields[i]:find('[<@]') then
        others[#others + 1] = fields[i]
      end
    end
  else
    others[1] = form_of(key)
    known[others[1]], known[others[1] .. '@'] = 0, now
  end
  if others[1] == form then
    -- a window that began elsewhere, but is as long
    return key, 0, left_by_another(key)
  end
  local uses, lasts = false, 0
  if known[form] then
    for _, other in ipairs(others) do
      late = late + math.max(known[other] - (known[form .. '<' .. other] or 0), 0)
    end
  else
    uses, lasts = left_by_another(shared and key .. '~' .. others[1] or key)
  end

  return own, late, uses, lasts, function(count)
    local function text(number)
      return ('%.0f'):format(number)
    end
    if not shared then
      call('RENAME', key, key .. '~' .. others[1])
    end
    local fields = {form, text((known[form] or 0) + count), form .. '@', text(now)}
    local longest, gone = call('PTTL', own), {}
    for _, other in ipairs(others) do
      local lasting = call('PTTL', key .. '~' .. other)
      if lasting > 0 and now - known[other .. '@'] <= 60000000 then
        longest = math.max(longest, lasting)
      else
        gone[#gone + 1] = key .. '~' .. other
      end
      for _, field in ipairs({other, other .. '@', form .. '<' .. other}) do
        fields[#fields + 1] = field
        fields[#fields + 1] = text(field:find('<') and known[other] or known[field])
      end
    end
    if #gone == #others then
      -- no instance decides by the others any more
      call('UNLINK', key, spread(gone))
      if call('EXISTS', own) == 1 then
        call('RENAME', own, key)
      end
    else
      call('HSET', key, spread(fields))
      call('PEXPIRE', key, longest + 1000)
    end
  end, known[form .. '@']
end
