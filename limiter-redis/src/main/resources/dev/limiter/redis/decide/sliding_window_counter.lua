
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
  local renewed, beyond = false, 0
  local stored, other = read(key, 3)
  if stored then
    local _, newest_then, length_then, buckets_then, from = unpack('>BI7I7I2', stored)
    other = length_then ~= length or buckets_then ~= buckets
    if not other then
      if newest_then > newest then
        local ahead = (newest_then - newest) * size - elapsed
        if ahead <= size * buckets / 2 then
          -- the clock stepped back a little: that is sat out
          newest, elapsed = newest_then, -ahead
        else
          -- far: the counts go back with it
          newest_then, renewed = newest, true
        end
      end
      for i = newest - newest_then + 1, buckets + 1 do
        counts[i], from = unpack('>I7', stored, from)
        total = total + counts[i]
      end
    end
  end
  if other then
    total, beyond = left_by_another(key)
    counts[1] = total
    if total <= limit then
      renewed, beyond = total > 0 and dry == 0, 0
    end
  end

  local oldest = counts[buckets + 1]
  local forgivable = floor(limit / buckets)
  local forgiven = min(scaled(oldest, max(elapsed, 0), size), forgivable)

  -- until when so many permits are not there
  local function wait_for(count)
    local left = count - (limit - total)
    if count == 0 or left <= forgiven then
      return 0
    end
    for i = buckets + 1, 1, -1 do
      local leaves = (buckets + 1 - i) * size - elapsed
      if left <= counts[i] and left <= forgivable then
        return max(ceil((leaves + scaled_up(left, size, counts[i])) / micro), 1, beyond)
      end
      left = left - counts[i]
      if left <= 0 then
        return max(ceil((leaves + size) / micro), 1, beyond)
      end
    end
  end
  local wait = wait_for(asked)

  return wait, 0, function(count)
    if count > 0 then
      counts[1], total = counts[1] + count, total + count
      wait = wait_for(1)
    end
    local reset = 0
    for i = buckets + 1, 1, -1 do
      if counts[i] > 0 then
        reset = ceil(((buckets + 2 - i) * size - elapsed) / micro)
      end
    end
    if count > 0 or renewed then
      local state = {pack('>BI7I7I2', 3, newest, length, buckets)}
      for i = 1, buckets + 1 do
        state[i + 1] = pack('>I7', counts[i])
      end
      call('SET', key, table.concat(state), 'PX', ceil(reset / 1000) + grace)
    end
    return pack('>dddd', max(limit - total + forgiven, 0), wait, reset, newest)
  end, max(limit - total + forgiven, 0)
end
