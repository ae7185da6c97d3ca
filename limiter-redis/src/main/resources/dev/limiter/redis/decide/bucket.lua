
-- Token bucket, leaky bucket and paced leaky bucket: the Generic Cell Rate Algorithm (ITU-T I.371), as in Bucket.java.
--
-- A microsecond sinks the level by `micro` units, a permit raises it by `permit` of them; both are whole, so nothing is
-- rounded. Paced, only an empty bucket lets anybody go, and the size of the bucket is how many may wait.
--
-- State: when it was written, the level then, and the micro and permit that it was counted in. If the limit was changed
-- since, the level goes on in those until it admits something under the new one: what was used stays used, in permits.
kinds[1] = function(key, permits, asked, patience)
  local micro, permit, burst, paced
  micro, permit, burst, paced, at = unpack('>dddB', ARGV[1], at)
  paced = paced == 1
  local level, units, cost = 0, micro, permit
  local stored = call('GET', key)
  if stored then
    local written
    written, level, units, cost = unpack('>I7I7I7I7', stored)
    if now >= written then
      level = max(level - (now - written) * units, 0)
    else
      -- the clock stepped back: at most full as of now, but those who wait have their turns
      local grown = level + (written - now) * units
      level = grown <= burst * cost and grown or max(level, paced and cost or burst * cost)
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
  if paced and asked > 0 then
    refusal = max(refusal, ceil((level + asked * cost - burst * cost - full) / units))
  end

  return refusal, wait, function(taking, delay)
    local after = level
    if taking or faster and dry == 0 then
      if cost ~= permit or units ~= micro then
        after = scaled_up(level, permit, cost)
      end
      if taking then
        -- from the exact turn, if the wait is this bucket's own: microseconds would add up
        local own = wait_for(paced and cost or permits * cost)
        after = (delay > own and max(after, delay * micro) or after) + permits * permit
      end
      if after > 0 then
        call('SET', key, pack('>I7I7I7I7', now, after, micro, permit), 'PX', ceil(after / micro / 1000) + grace)
      end
      units, cost, full = micro, permit, paced and permit or burst * permit
    end
    local left = floor(max(full - after, 0) / cost)
    return pack('>dddd', left, refusal, ceil(after / units), after)
  end
end
