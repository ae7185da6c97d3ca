-- Token bucket, leaky bucket and paced leaky bucket: the Generic Cell Rate Algorithm (ITU-T I.371), as in GcraBucket.java.
--
-- The level falls by `micro` units per microsecond and rises by `permit` units per permit; both are integers, so no value is
-- rounded. A paced bucket permits only while it is empty, and its size is the number of requests that may wait.
--
-- State: the time of the write, the level at that time, the second of its expiry, whether a request waits, and the values of
-- micro and permit, the units of the level; after returned permits, their count. The encoding of most states is so short
-- that the server needs 48 bytes for all. After a change of the limit the level keeps its units until the bucket permits
-- a request under the new limit: permits that were used stay used.
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

-- take

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
