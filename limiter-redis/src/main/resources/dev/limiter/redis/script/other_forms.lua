-- A limit whose algorithm or window has changed. A key has one state, in the form of the limit that wrote it last; a limit of
-- another form takes over the permits that still count in it, as if they were taken now.

-- The permits that still count in a state of any form, the microseconds until none counts, and the window of its limit. The
-- window of a bucket is not stored: the time until it is empty stands for it.
local function used_before(key)
  local call, unpack, ceil, max, min = redis.call, struct.unpack, math.ceil, math.max, math.min
  local kind, most = call('TYPE', key).ok, max(budget, 32)
  if kind == 'none' then
    return 0, 0, 0
  end
  if kind == 'list' then
    local list = call('LRANGE', key, 0, 2 * most + 3)
    local total, window, counted, expired = tonumber(list[1]), tonumber(list[2]), 0, 0
    budget = budget - #list / 2
    for i = 3, #list, 2 do
      counted = counted + list[i + 1]
      expired = expired + (tonumber(list[i]) <= now - window and list[i + 1] or 0)
    end
    local whole = #list <= 2 * most + 2
    if window <= 0 or total % 1 > 0 or counted > total or counted < total and whole then
      error('not a state of a limit')
    end
    return total - expired, min(call('LINDEX', key, -2) + window - now, window), window
  end
  local total = kind == 'zset' and call('ZSCORE', key, 't')
  if total then
    local held, last = -total, call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2] - now
    local expired = call('ZRANGEBYSCORE', key, '(0', now, 'LIMIT', 0, most)
    budget = budget - #expired
    for _, hold in ipairs(expired) do
      held = held - unpack('>I7', hold)
    end
    return last > 0 and held or 0, last, last
  end
  local stored = call('GET', key)
  kind = stored:byte(1)
  if kind == 1 then
    local form = #stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
    local _, written, level, _, _, units, cost = unpack(form, stored)
    level = max(level - max(now - written, 0) * units, 0)
    return ceil(level / cost), ceil(level / units), ceil(level / units)
  end
  if kind == 2 then
    local _, began, ends, used, taken = unpack('>BI7I7I7I7', stored)
    local window = ends - began
    if now >= ends then
      used, ends = taken, ends + window
    end
    return now < ends and used or 0, min(ends - now, window), window
  end
  if kind == 3 then
    local _, newest, window, buckets, from = unpack('>BI7I7I2', stored)
    local size, used = window / buckets, 0
    for age = 0, buckets do
      -- of a sub-window that leaves the window, the share that is still in it
      local staying = ((newest - age + 1) * size + window - now) / size
      used = used + ceil(unpack('>I7', stored, from + 7 * age) * max(min(staying, 1), 0))
    end
    return used, ceil(window + size), window
  end
  if kind == 6 then
    local _, written, ahead, _, _, _, _, units = unpack('>BI7I7I7ddBI7', stored)
    local lasts = ceil(ahead / units) - max(now - written, 0)
    return lasts > 0 and 1 or 0, lasts, lasts
  end
  error('not a state of a limit')
end

-- The permits that a limit takes over from a state of another form; and 0, or the wait if they are too many: then the state
-- stays, and the limit permits nothing. With a shorter window it takes as many as it can hold, so that the wait is its own.
local function taken_over(key, capacity, window)
  local used, lasts, window_then = used_before(key)
  if used > capacity and window_then <= window then
    return used, lasts
  end
  return math.min(used, capacity), 0
end
