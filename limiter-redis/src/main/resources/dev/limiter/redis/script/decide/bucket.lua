-- Token bucket, leaky bucket and paced leaky bucket: the Generic Cell Rate Algorithm (ITU-T I.371), as in TokenBucket.java.
--
-- The level falls by `micro` units per microsecond and rises by `permit` units per permit; both are integers, so no value is
-- rounded. A paced bucket permits only while it is empty, and its size is the number of requests that may wait.
--
-- State: the time of the write, its level, the second of its expiry, whether a request waits (1) and whether the
-- bucket has forgotten permits that it could not hold (2), and the values of micro and permit, the units of the level; after
-- returned permits, their count. Most states are encoded so briefly that the server needs 48 bytes in all. After a change of
-- the limit, the level keeps its units until the bucket permits a request under the new limit: used permits stay used.
algorithms[1] = function(key, asked, permits, patience, count, delay)
  local floor, ceil = math.floor, math.ceil
  local rejection, wait, renewed, returned = 0, 0, false, 0
  local micro, permit, burst, window, paced
  micro, permit, burst, window, paced, at = unpack('>ddddB', argument, at)
  paced = paced == 1
  -- the most permits at one moment
  local capacity = paced and 1 or burst
  local level, units, cost, expires, flags = 0, micro, permit, 0, 0
  local stored, carried, beyond = read(key, 1, burst, window)
  if stored then
    local _, written, from
    local size = #stored
    local form = size % 7 == 0 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
    _, written, level, expires, flags, units, cost, from = unpack(form, stored)
    if size >= 35 then
      returned = unpack('>I7', stored, from)
    end
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
  elseif carried > 0 then
    level, renewed = carried * permit, beyond == 0 and not dry
  end

  if micro * cost ~= units * permit and level > burst * cost and level > window * units and flags % 2 == 0 then
    -- The level lasts longer than the new window: the bucket takes over what it can hold.
    level, units, cost, flags, renewed = burst * permit, micro, permit, 2, not dry
  elseif micro * cost > units * permit then
    -- A faster limit applies at once: a rejected request must not wait as long as under the slower limit.
    level = floor(level / cost) * permit + ceil(level % cost * permit / cost)
    units, cost, renewed = micro, permit, renewed or not dry
  end

  local full = capacity * cost
  -- Permits that a lowered limit cannot hold leak at the old rate; a turn behind them would make them leak more slowly.
  if level > full and not paced and (units ~= micro or cost ~= permit) then
    patience = 0
  end
  if asked > 0 then
    wait = ceil((level + (paced and cost or asked * cost) - full) / units)
    if wait < 0 then
      wait = 0
    end
    rejection = wait > patience and wait - patience or 0
    if beyond > rejection then
      rejection = beyond
    end
    if paced then
      rejection = math.max(rejection, ceil((level + asked * cost - burst * cost - full) / units))
    end
  end
  local left = floor((full - level) / cost)

  if not count then
    count, delay = granted(rejection, wait, left, 2 ^ 53, permits), wait
  end
  if count > 0 then
    -- the exact turn, if this bucket imposes the wait: roundings to microseconds would add up
    local own = delay > 0 and ceil((level + math.min(count, capacity) * cost - full) / units) or 0
    if cost ~= permit or units ~= micro then
      level = floor(level / cost) * permit + ceil(level % cost * permit / cost)
      units, cost, full = micro, permit, capacity * permit
    end
    if delay > own and delay * micro > level then
      level = delay * micro
    end
    level = level + count * permit
    rejection = ceil((level + cost - full) / units)
    if rejection < 0 then
      rejection = 0
    end
    left = floor((full - level) / cost)
  end
  local reset = ceil(level / units)
  if (count > 0 or renewed) and level > 0 then
    local form = (units < 2 ^ 24 and cost < 2 ^ 40) and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
    -- Setting the expiry costs as much as the rest of the write, so it is set well ahead, and kept by later writes.
    local margin, lasts = grace * 1000, nil
    flags = (flags >= 2 and 2 or 0) + (level > full and 1 or 0)
    if now + reset + margin > expires * 1000000 then
      lasts = reset + floor(reset / 2) + 2 * margin
      expires = math.min(floor((now + lasts) / 1000000), 2 ^ 32 - 1)
    end
    if returned > 0 then
      form = form .. 'I7'
    end
    -- struct.pack ignores a surplus argument
    local state = pack(form, 1, now, level, expires, flags, units, cost, returned)
    if lasts then
      call('SET', key, state, 'PX', ceil(lasts / 1000))
    else
      call('SET', key, state, 'KEEPTTL')
    end
  end
  return left, rejection, reset, level, returned, wait, 2 ^ 53
end
