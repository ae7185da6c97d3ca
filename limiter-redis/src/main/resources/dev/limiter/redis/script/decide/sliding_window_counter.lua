-- A sliding window of sub-windows, as in SlidingWindowCounter.java: all permits of the current sub-window and of the
-- last `buckets` whole ones count, except for a part of the oldest sub-window.
--
-- State: the number of the newest sub-window, the length of the window, the number of its sub-windows, the counts of
-- `buckets` + 1 sub-windows, the newest first, and their sum. A microsecond has `micro` ticks and a sub-window `size` ticks,
-- both integers.
--
-- The counts stay packed, in seven bytes each: most decisions read two of up to a thousand. The newest is also unpacked.
algorithms[3] = function(key, asked, permits, patience, count)
  local floor, ceil = math.floor, math.ceil
  local renewed = false
  local limit, length, buckets, micro, size
  limit, length, buckets, micro, size, at = unpack('>ddddd', argument, at)
  local elapsed = now % length * micro
  local newest = math.min(floor(elapsed / size), buckets - 1)
  elapsed = elapsed - newest * size
  newest = newest + floor(now / length) * buckets

  local counts, said = false, false
  local stored, recent, beyond = read(key, 3, limit, length)
  local newest_then, length_then, buckets_then, from
  if stored then
    local _
    _, newest_then, length_then, buckets_then, from = unpack('>BI7I7I2', stored)
    if length_then ~= length or buckets_then ~= buckets then
      stored, recent, beyond = read(key, 0, limit, length)
    end
  end
  local total = recent
  if not stored then
    renewed = recent > 0 and beyond == 0 and not dry
  else
    if newest_then > newest then
      local ahead = (newest_then - newest) * size - elapsed
      if ahead <= size * buckets / 2 then
        -- a small step of the clock back: the counts stay in their sub-windows
        newest, elapsed = newest_then, -ahead
      else
        -- a large step back: the counts move to the next start of a sub-window; later in one, they would count as older
        if elapsed > 0 then
          newest, elapsed = newest + 1, elapsed - size
        end
        newest_then, renewed = newest, true
      end
    end
    local passed = newest - newest_then
    if passed <= buckets then
      local staying = buckets + 1 - passed
      counts = ('\0\0\0\0\0\0\0'):rep(passed) .. stored:sub(from, from + 7 * staying - 1)
      total = unpack('>I7', stored, from + 7 * buckets + 7)
      -- added up: those that stay or those that leave, whichever are fewer
      local few, first, added = math.min(staying, passed), staying <= passed and 0 or staying, 0
      local numbers = {unpack('>' .. ('I7'):rep(few), stored, from + 7 * first)}
      for i = 1, few do
        added = added + numbers[i]
      end
      total = first == 0 and added or total - added
      recent = unpack('>I7', counts)
    end
    -- the first permit of the newest sub-window has set the expiry
    said = passed == 0 and not renewed and recent > 0
  end
  counts = counts or ('\0\0\0\0\0\0\0'):rep(buckets + 1)

  local oldest = unpack('>I7', counts, 7 * buckets + 1)
  local forgivable = floor(limit / buckets)
  local forgiven = oldest > 0 and elapsed > 0 and math.min(scaled(oldest, elapsed, size), forgivable) or 0

  -- the time until `count` permits are left
  local function wait_for(count)
    local missing = count - (limit - total)
    if count == 0 or missing <= forgiven then
      return 0
    end
    local numbers, first = nil, buckets + 2
    for i = buckets + 1, 1, -1 do
      if i < first then
        first = math.max(i - 99, 1)
        numbers = {unpack('>' .. ('I7'):rep(i - first + 1), counts, 7 * first - 6)}
      end
      local leaving = i == 1 and recent or numbers[i - first + 1]
      if missing <= leaving then
        local leaves = (buckets + 1 - i) * size - elapsed
        local share = missing <= forgivable and scaled(missing, size, leaving, true) or size
        return math.max(ceil((leaves + share) / micro), 1, beyond)
      end
      missing = missing - leaving
    end
  end
  local rejection = wait_for(asked)
  local left = limit - total + forgiven

  if not count then
    count = granted(rejection, 0, left, 2 ^ 53, permits)
  end
  if count > 0 then
    recent, total = recent + count, total + count
    rejection = wait_for(1)
    left = limit - total + forgiven
  end
  local reset = 0
  if total > 0 then
    local used = 1
    if recent == 0 then
      local _, zeros = counts:find('^%z*')
      used = floor(zeros / 7) + 1
    end
    reset = ceil(((buckets + 2 - used) * size - elapsed) / micro)
  end
  if count > 0 or renewed then
    local state = pack('>BI7I7I2I7', 3, newest, length, buckets, recent) .. counts:sub(8) .. pack('>I7', total)
    if said then
      call('SET', key, state, 'KEEPTTL')
    else
      call('SET', key, state, 'PX', ceil(reset / 1000) + grace)
    end
  end
  return left, rejection, reset, newest, 0, 0, 2 ^ 53
end
