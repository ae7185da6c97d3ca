
-- A window of sub-windows that slides, as in SlidingWindowCounterStrategy.java: all permits of the last `buckets` whole
-- sub-windows and the current one count, but for a share of the oldest.
--
-- State: the number of the newest sub-window, the length of the window and how many sub-windows it has, and the counts
-- of `buckets` + 1 of them, the newest first. A microsecond is `micro` ticks and a sub-window `size` of them, both whole.
local function sub_window(length, buckets, micro, size)
  local ticks = now % length * micro
  local sub = min(floor(ticks / size), buckets - 1)
  return floor(now / length) * buckets + sub, ticks - sub * size
end

kinds[3] = function(key, permits, asked, patience)
  local limit, length, buckets, micro, size
  limit, length, buckets, micro, size, at = unpack('>ddddd', ARGV[1], at)
  local newest, elapsed = sub_window(length, buckets, micro, size)
  local counts, total = {}, 0
  for i = 1, buckets + 1 do
    counts[i] = 0
  end
  local stored = call('GET', key)
  if stored then
    local newest_then, length_then, buckets_then, from = unpack('>I7I7I2', stored)
    if length_then == length and buckets_then == buckets then
      if newest_then > newest then
        -- the clock stepped back: a little is sat out, after more the counts go back with it
        if (newest_then - newest) * size - elapsed <= size * buckets / 2 then
          newest = newest_then
        end
        newest_then, elapsed = newest, 0
      end
      for i = newest - newest_then + 1, buckets + 1 do
        counts[i], from = unpack('>I7', stored, from)
        total = total + counts[i]
      end
    else
      -- another window: what counts of it, counts as taken now
      local passed = floor((now - newest_then * (length_then / buckets_then)) / (length_then / buckets_then))
      for i = 1, buckets_then + 1 - max(passed, 0) do
        local count
        count, from = unpack('>I7', stored, from)
        total = total + count
      end
      total = min(total, limit)
      counts[1] = total
    end
  end

  local oldest = counts[buckets + 1]
  local forgivable = floor(limit / buckets)
  local share = oldest * elapsed
  local forgiven = min(share <= 2 ^ 53 and floor(share / size) or floor(oldest / size * elapsed) - 1, forgivable)
  local missing = asked - (limit - total)
  local wait = 0
  if asked > 0 and missing > forgiven then
    local left, ticks = missing, nil
    for i = buckets + 1, 1, -1 do
      local count = counts[i]
      local leaves = (buckets + 1 - i) * size - elapsed
      if left <= count and left <= forgivable then
        ticks = leaves + scaled_up(left, size, count)
        break
      end
      left = left - count
      if left <= 0 then
        ticks = leaves + size
        break
      end
    end
    wait = max(ceil(ticks / micro), 1)
  end

  return wait, 0, function(taking)
    if taking then
      counts[1], total = counts[1] + permits, total + permits
    end
    local reset = 0
    for i = buckets + 1, 1, -1 do
      if counts[i] > 0 then
        reset = ceil(((buckets + 2 - i) * size - elapsed) / micro)
      end
    end
    if taking then
      local state = {pack('>I7I7I2', newest, length, buckets)}
      for i = 1, buckets + 1 do
        state[i + 1] = pack('>I7', counts[i])
      end
      call('SET', key, table.concat(state), 'PX', ceil(reset / 1000) + grace)
    end
    return pack('>dddd', max(limit - total + forgiven, 0), wait, reset, newest)
  end
end
