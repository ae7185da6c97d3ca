-- Reads a state, including that of a limit with another algorithm or window. A key has one state, in the form of the limit
-- that wrote it last. A limit of another form takes over the permits that still count, as if they were taken now.
--
-- Returns the state if it is a string of this algorithm (0: of none). Otherwise returns false, the permits to take over, and
-- 0. If those are too many, returns the wait instead of 0: the state stays, and the limit permits nothing. With a shorter
-- window, a limit takes over only as many as it can hold, so that the wait is its own. The window of a bucket is not stored; the time
-- until it is empty is used instead.
local function read(key, algorithm, capacity, window)
  local stored = redis.pcall('GET', key)
  if not stored then
    return false, 0, 0
  end
  local kind = not stored.err and stored:byte(1)
  if kind == algorithm then
    return stored, 0, 0
  end
  if stored.err and not stored.err:find('WRONGTYPE', 1, true) then
    error('GET: ' .. stored.err)
  end

  local call, unpack, ceil, max, min = redis.call, struct.unpack, math.ceil, math.max, math.min
  -- the permits that still count, the time until none counts, and the window
  local used, lasts, former = 0, 0, nil
  local most = max(math.floor(1000 / #KEYS), 32)
  kind = kind or call('TYPE', key).ok
  if kind == 1 then
    local form = #stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
    local _, written, level, _, _, units, cost = unpack(form, stored)
    level = max(level - max(now - written, 0) * units, 0)
    used, lasts = ceil(level / cost), ceil(level / units)
  elseif kind == 2 then
    local _, began, ends, present, next = unpack('>BI7I7I7I7', stored)
    former = ends - began
    used, lasts = present, min(ends - now, former)
    if now >= ends then
      used, lasts = next, ends + former - now
    end
  elseif kind == 3 then
    local _, newest, length, buckets, from = unpack('>BI7I7I2', stored)
    local size = length / buckets
    for age = 0, buckets do
      -- the part of a sub-window that is still in the window
      local staying = ((newest - age + 1) * size + length - now) / size
      used = used + ceil(unpack('>I7', stored, from + 7 * age) * max(min(staying, 1), 0))
    end
    lasts, former = ceil(length + size), length
  elseif kind == 6 then
    local _, written, ahead, _, _, _, _, units = unpack('>BI7I7I7ddBI7', stored)
    used, lasts = 1, ceil(ahead / units) - max(now - written, 0)
  elseif kind == 'list' then
    local list, counted = call('LRANGE', key, 0, 2 * most + 3), 0
    used, former = tonumber(list[1]), tonumber(list[2])
    local total, whole = used, #list <= 2 * most + 2
    for i = 3, #list, 2 do
      counted = counted + list[i + 1]
      used = used - (tonumber(list[i]) <= now - former and list[i + 1] or 0)
    end
    if former <= 0 or total % 1 > 0 or counted > total or counted < total and whole then
      error('not a state of a limit')
    end
    lasts = min(call('LINDEX', key, -2) + former - now, former)
  elseif kind == 'zset' and call('ZSCORE', key, 't') then
    local expired = call('ZRANGEBYSCORE', key, '(0', now, 'LIMIT', 0, most)
    used, lasts = -call('ZSCORE', key, 't'), call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2] - now
    for _, hold in ipairs(expired) do
      used = used - unpack('>I7', hold)
    end
  else
    error('not a state of a limit')
  end
  if lasts <= 0 then
    return false, 0, 0
  end
  if used > capacity and (former or lasts) <= window then
    return false, used, lasts
  end
  return false, min(used, capacity), 0
end
