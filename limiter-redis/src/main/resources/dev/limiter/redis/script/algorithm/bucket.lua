-- Token bucket, leaky bucket and paced leaky bucket: the Generic Cell Rate Algorithm (ITU-T I.371), as in TokenBucket.java.
--
-- The level falls by `micro` units per microsecond and rises by `permit` units per permit; both are integers, so no value is
-- rounded. A paced bucket permits only while it is empty, and its size is the number of requests that may wait.
--
-- State: the time of the write, the level at that time, the second of its expiry, whether a request waits, and the values of
-- micro and permit, the units of the level; after returned permits, their count. The encoding of most states is so short
-- that the server needs 48 bytes for all. After a change of the limit the level keeps its units until the bucket permits
-- a request under the new limit: permits that were used stay used.
decide[1] = function(key, asked, permits, patience, count, delay)
  local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0
  local micro, permit, burst, paced
  micro, permit, burst, paced, at = unpack('>dddB', argument, at)
  paced = paced == 1
  -- the most permits at one moment
  local capacity = paced and 1 or burst
  local level, units, cost, expires = 0, micro, permit, 0
  local beyond = 0
  local stored, other = read(key, 1)
  local late, uses, lasts, since_then
  if other then
    key, late, uses, lasts, joined, since_then = apart(key, 1, 0, 0)
    stored = not uses and read(key, 1)
  end
  late = late and late[1][3] or 0
  if stored then
    local _, written, from
    local size = #stored
    _, written, level, expires, _, units, cost, from = unpack(size % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7', stored)
    if size >= 35 then
      returned = unpack('>I7', stored, from)
    end
    -- the permits taken by other instances, evenly since the write
    level = level + late * cost
    if now >= written then
      level = level - (now - written) * units
      if level < 0 then
        level = 0
      end
    else
      -- the clock stepped back: the level is at most full, except for waiting requests, which keep their turns
      local grown = level + (written - now) * units
      renewed = grown > burst * cost
      level = renewed and math.max(level, capacity * cost) or grown
    end
  elseif uses then
    level = level_of(uses, micro, permit)
    if level <= burst * permit then
      renewed = not dry
    else
      beyond = lasts
    end
  end
  if late > 0 then
    level = stored and level or math.max(late * cost - (now - since_then) * units, 0)
    level, renewed = math.min(level, math.max(level - late * cost, burst * cost)), not dry
  end

  -- A faster limit applies at once: a refused request must not wait as long as under the slower limit.
  if micro * cost > units * permit then
    level, units, cost, renewed = scaled_up(level, permit, cost), micro, permit, renewed or not dry
  end

  local full = capacity * cost
  -- Permits that a lowered limit cannot hold sink as fast as before: a turn behind them would make slower ones of them.
  if level > full and not paced and (units ~= micro or cost ~= permit) then
    patience = 0
  end
  if asked > 0 then
    wait = ceil((level + (paced and cost or asked * cost) - full) / units)
    if wait < 0 then
      wait = 0
    end
    refusal = wait > patience and wait - patience or 0
    if beyond > refusal then
      refusal = beyond
    end
    if paced then
      refusal = math.max(refusal, ceil((level + asked * cost - burst * cost - full) / units))
    end
  end
  left = floor((full - level) / cost)

  if not count then
    count, delay = granted(refusal, wait, left, longest, permits), wait
  end
  local reset, mark = 0, 0
  local full = capacity * cost
  if count > 0 then
    -- the exact turn, if this bucket imposes the wait: roundings to microseconds would add up
    local own = delay > 0 and ceil((level + math.min(count, capacity) * cost - full) / units) or 0
    if cost ~= permit or units ~= micro then
      level = scaled_up(level, permit, cost)
      units, cost, full = micro, permit, capacity * permit
    end
    if delay > own and delay * micro > level then
      level = delay * micro
    end
    level = level + count * permit
    refusal = ceil((level + cost - full) / units)
    if refusal < 0 then
      refusal = 0
    end
    left = floor((full - level) / cost)
  end
  reset, mark = ceil(level / units), level
  if (count > 0 or renewed) and level > 0 then
    local form = (units < 2 ^ 24 and cost < 2 ^ 40) and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
    -- An expiry costs as much as the rest of the write: it is set some time ahead, and kept by the next writes.
    local margin, waiting, lasts = grace * 1000, level > full and 1 or 0, nil
    if now + reset + margin > expires * 1000000 then
      lasts = reset + floor(reset / 2) + 2 * margin
      expires = math.min(floor((now + lasts) / 1000000), 2 ^ 32 - 1)
    end
    if returned > 0 then
      form = form .. 'I7'
    end
    -- struct.pack ignores a surplus argument
    local state = pack(form, 1, now, level, expires, waiting, units, cost, returned)
    if lasts then
      call('SET', key, state, 'PX', ceil(lasts / 1000))
    else
      call('SET', key, state, 'KEEPTTL')
    end
  end
  if joined and (count > 0 or renewed) then
    joined(count)
  end
  return left, refusal, reset, mark, returned, wait, longest
end

give_back[1] = function(key, permits, mark, returned_before)
  local micro, permit, full
  micro, permit, full, at = unpack('>ddd', argument, at)
  key = place(key, 1)
  local stored = read(key, 1)
  if not stored then
    return
  end
  local form = #stored % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
  local _, written, level, expires, waiting, units, cost, from = unpack(form, stored)
  local returned = #stored >= 35 and unpack('>I7', stored, from) or 0
  level = math.max(level - math.max(now - written, 0) * units, 0)
  local alike, charged = units == micro and cost == permit, permits * permit
  local leaked = math.max(now - taken_at, 0) * (alike and micro or math.max(micro, ceil(units / cost * permit)))
  local ended = math.max(mark - leaked, 0)
  local last = written == taken_at and alike and level == ended
  local visible = math.max(ended - math.max(returned - returned_before, 0) * permit, charged - leaked, 0)
  visible = math.min(visible, charged)
  if cost ~= permit then
    visible = floor(visible / permit * cost)
  end
  visible = math.min(visible, level)
  -- the count of returned permits stays exact
  local counts = returned + permits <= 2 ^ 52
  if visible > 0 and counts and (last or waiting == 0 or level <= full / permit * cost) then
    level = level - visible
    if level <= 0 and returned == 0 then
      -- no charge is left in the bucket
      call('DEL', key)
    else
      local state = pack(form .. 'I7', 1, now, math.max(level, 0), expires, waiting, units, cost, returned + permits)
      call('SET', key, state, 'KEEPTTL')
    end
  end
end
