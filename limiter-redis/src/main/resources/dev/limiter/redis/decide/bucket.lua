
-- Token bucket, leaky bucket and paced leaky bucket: the Generic Cell Rate Algorithm (ITU-T I.371), as in Bucket.java.
--
-- A microsecond sinks the level by `micro` units, a permit raises it by `permit` of them; both are whole, so nothing is
-- rounded. Paced, only an empty bucket lets anybody go, and the size of the bucket is how many may wait.
--
-- State: when it was written, the level then, the micro and permit that it was counted in, and whether somebody waits. If
-- the limit was changed since, the level goes on in those until it admits something under the new one: what was used stays
-- used, in permits.
kinds[1] = function(key, permits, asked, patience)
  local micro, permit, burst, paced
  micro, permit, burst, paced, at = unpack('>dddB', ARGV[1], at)
  paced = paced == 1
  local level, units, cost = 0, micro, permit
  local renewed, beyond = false, 0
  local stored, other = read(key, 1)
  if stored then
    local _, written
    _, written, level, units, cost = unpack('>BI7I7I7I7', stored)
    if now >= written then
      level = max(level - (now - written) * units, 0)
    else
      -- the clock stepped back: at most full as of now, but those who wait have their turns
      local grown = level + (written - now) * units
      renewed = grown > burst * cost
      level = renewed and max(level, paced and cost or burst * cost) or grown
    end
  elseif other then
    local carried
    carried, beyond = left_by_another(key)
    level = carried * permit
    if carried <= burst then
      renewed, beyond = dry == 0, 0
    end
  end

  -- A faster limit counts at once: who is refused must not wait as long as the slower one would have it.
  local faster = micro * cost > units * permit
  if faster then
    level, units, cost = scaled_up(level, permit, cost), micro, permit
  end

  local full = paced and cost or burst * cost
  local needed = paced and min(asked * cost, cost) or asked * cost
  local function wait_for(charged)
    return asked == 0 and 0 or max(ceil((level + charged - full) / units), 0)
  end
  local wait = wait_for(needed)
  local refusal = max(wait - patience, 0)
  if asked > 0 then
    if paced then
      refusal = max(refusal, ceil((level + asked * cost - burst * cost - full) / units))
    end
    refusal = max(refusal, beyond)
  end

  return refusal, wait, function(count, delay)
    local after, following = level, refusal
    if count > 0 then
      -- from the exact turn, if the wait is this bucket's own: microseconds would add up
      local own = wait_for(paced and cost or count * cost)
      if cost ~= permit or units ~= micro then
        after = scaled_up(level, permit, cost)
        units, cost, full = micro, permit, paced and permit or burst * permit
      end
      after = (delay > own and max(after, delay * micro) or after) + count * permit
      following = max(ceil((after + cost - full) / units), 0)
    end
    if (count > 0 or renewed or faster and dry == 0) and after > 0 then
      local state = pack('>BI7I7I7I7B', 1, now, after, units, cost, after > full and 1 or 0)
      call('SET', key, state, 'PX', ceil(after / units / 1000) + grace)
    end
    return pack('>dddd', floor(max(full - after, 0) / cost), following, ceil(after / units), after)
  end, floor(max(full - level, 0) / cost)
end
