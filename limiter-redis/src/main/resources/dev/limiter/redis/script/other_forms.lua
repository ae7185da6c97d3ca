-- Limits whose algorithm or window has changed: some instances may still decide by the previous form of the limit.

-- The form of a state: its algorithm and its window.
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

-- The permits that still count in the state of another form of the limit, as entries {from, to, count}, oldest first, each
-- taken evenly between two times; and the microseconds until no permit counts.
local function left_by_another(key)
  local call, unpack, now = redis.call, struct.unpack, now
  local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
  local kind = call('TYPE', key).ok
  if kind == 'none' then
    return {}, 0
  end
  local uses = {}
  local most = max(budget, 32)
  if kind == 'list' then
    local list = call('LRANGE', key, 0, 2 * most + 3)
    local total, length, counted = tonumber(list[1]), tonumber(list[2]), 0
    budget = budget - #list / 2
    for i = 4, #list, 2 do
      counted = counted + tonumber(list[i])
    end
    local long = #list > 2 * most + 2
    if #list % 2 == 1 or length <= 0 or total % 1 > 0 or counted > total or counted < total and not long then
      -- a list of others
      error('not a state of a limit')
    end
    if long then
      -- a long log is nearly even
      local oldest, newest = tonumber(list[3]), tonumber(call('LINDEX', key, -2))
      return {{min(oldest, now), min(newest, now), total}}, min(newest + length - now, length)
    end
    for i = 3, #list, 2 do
      local taken = min(tonumber(list[i]), now)
      if taken + length > now then
        uses[#uses + 1] = {taken, taken, tonumber(list[i + 1])}
      end
    end
    return uses, min(list[#list - 1] + length - now, length)
  end
  local total = kind == 'zset' and call('ZSCORE', key, 't')
  if total then
    -- of the expired holds the first ones do not count
    local held, last = -total, call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
    local ended = call('ZRANGEBYSCORE', key, '(0', now, 'LIMIT', 0, most)
    budget = budget - #ended
    for _, hold in ipairs(ended) do
      held = held - unpack('>I7', hold)
    end
    local lasts = last - now
    return lasts > 0 and held > 0 and {{now, now, held}} or uses, max(lasts, 0)
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
    for i = buckets + 1, 1, -1 do
      local count = unpack('>I7', stored, from + 7 * (i - 1))
      local start = min(floor((newest - i + 1) * size), now)
      if count > 0 and start + length + size > now then
        uses[#uses + 1] = {start, min(floor(start + size), now), count}
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

-- The entries since a time, and the sum of their permits.
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

-- The level of a bucket with these entries that leaks `units` per microsecond.
local function level_of(uses, units, cost)
  local max, level, reached = math.max, 0, 0
  for _, use in ipairs(uses) do
    level = max(level - max(use[1] - reached, 0) * units, 0)
    level = max(level + use[3] * cost - (use[2] - use[1]) * units, 0)
    reached = use[2]
  end
  return math.ceil(max(level - (now - reached) * units, 0))
end

-- The state of a limit under whose key another form has its state: the algorithm or window of the rule has changed, and some
-- instances may still decide by the previous one. From the first permit on each form has a state of its own, `key~form`, and
-- the key holds a hash: for each form the permits that the others have taken since its last charge (`form`), and the time of
-- that charge (`form@`). So each form counts the permits of the others exactly once, and from when they were taken.
--
-- The permits are pairs of a time and a count, seven bytes each, oldest first. Those of one twentieth of the window are one
-- pair with the time of the last of them: they never count for less than the window. A form without a window has one pair.
--
-- Returns the key of the state of this form; the permits taken by the other forms since its last charge, as entries
-- {from, to, count} if there are any; on the first call the entries of another form, and the microseconds until none counts;
-- a function that records the permits of this charge, called after the write of the state; and the time of the last charge.
local function apart(key, kind, length, buckets)
  local call, pack, unpack = redis.call, struct.pack, struct.unpack
  local form = ('%d:%.0f:%d'):format(kind, length, buckets)
  local own, now, pending, charged, others, late = key .. '~' .. form, now, {}, {}, {}, {}
  local shared = call('TYPE', key).ok == 'hash'
  if shared then
    -- two fields for each form; a hash of others may be of any size
    if call('HLEN', key) > 1000 then
      error('not a state of a limit')
    end
    local fields = call('HGETALL', key)
    for i = 1, #fields, 2 do
      local name, value = fields[i], fields[i + 1]
      if name:sub(-1) == '@' then
        charged[name:sub(1, -2)] = tonumber(value)
      else
        pending[name] = value
        if name ~= form then
          -- the form that was charged last knows all permits
          table.insert(others, value == '' and 1 or #others + 1, name)
        end
      end
    end
    for name, value in pairs(pending) do
      if #value % 14 > 0 or not charged[name] then
        error('not a state of a limit')
      end
    end
  else
    others[1] = form_of(key)
    pending[others[1]], charged[others[1]] = '', now
  end
  if others[1] == form then
    -- a window with another start, but the same length
    return key, nil, left_by_another(key)
  end
  local uses, lasts = false, 0
  if pending[form] then
    for i = 1, #pending[form], 14 do
      local taken, count = unpack('>I7I7', pending[form], i)
      taken = math.min(taken, now)
      if length == 0 then
        late[1] = {math.min(charged[form], taken), taken, count}
      elseif taken > now - length then
        late[#late + 1] = {taken, taken, count}
      end
    end
  else
    uses, lasts = left_by_another(shared and key .. '~' .. others[1] or key)
  end

  -- The permits that a form has not counted, and this charge.
  local function with(count, form)
    local those, window, taken = pending[form], tonumber(form:match(':(%d+):')), now
    if count == 0 then
      return those
    end
    while window > 0 and those ~= '' and unpack('>I7', those) <= now - window do
      those = those:sub(15)
    end
    if those ~= '' then
      local last, before = unpack('>I7I7', those, #those - 13)
      if window == 0 or math.floor(now / window * 20) <= math.floor(last / window * 20) then
        taken, count, those = math.max(last, now), before + count, those:sub(1, -15)
      end
    end
    return those .. pack('>I7I7', taken, count)
  end

  return own, late[1] and late, uses, lasts, function(count)
    local function text(number)
      return ('%.0f'):format(number)
    end
    -- The reads come first, and a state is moved last or moved back: a command that the user may not use, for one, leaves
    -- the permits that count under the key.
    local fields = {form, '', form .. '@', text(now)}
    local longest, gone = call('PTTL', own), {}
    for _, other in ipairs(others) do
      local lasting = call('PTTL', shared and key .. '~' .. other or key)
      if lasting > 0 and now - charged[other] <= 60000000 then
        longest = math.max(longest, lasting)
      else
        gone[#gone + 1] = key .. '~' .. other
      end
      for _, value in ipairs({other, with(count, other), other .. '@', text(charged[other])}) do
        fields[#fields + 1] = value
      end
    end
    if #gone == #others then
      -- no instance decides by another form any more
      if call('EXISTS', own) == 1 then
        call('RENAME', own, key)
        call('UNLINK', spread(gone))
      else
        call('UNLINK', key, spread(gone))
      end
      return
    end
    local former = key .. '~' .. others[1]
    if not shared then
      call('RENAME', key, former)
    end
    local reply, command = redis.pcall('HSET', key, spread(fields)), 'HSET'
    if type(reply) == 'number' then
      reply, command = redis.pcall('PEXPIRE', key, longest + 1000), 'PEXPIRE'
    end
    if type(reply) ~= 'number' then
      if not shared then
        call('RENAME', former, key)
      end
      error(command .. ': ' .. reply.err)
    end
  end, charged[form]
end

-- The key of the state of a form of the limit, for returned permits.
local function place(key, kind, length, buckets)
  if redis.call('TYPE', key).ok ~= 'hash' then
    return key
  end
  return ('%s~%d:%.0f:%d'):format(key, kind, length or 0, buckets or 0)
end
