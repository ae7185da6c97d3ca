-- A sliding window of sub-windows, as in SlidingWindowCounterStrategy.java: all permits of the current sub-window and of the
-- last `buckets` whole ones count, except for a share of the oldest sub-window.
--
-- State: the number of the newest sub-window, the length of the window, the number of its sub-windows, and the counts of
-- `buckets` + 1 sub-windows, the newest first. A microsecond has `micro` ticks and a sub-window `size` ticks, both integers.
local limit, length, buckets, micro, size
limit, length, buckets, micro, size, at = unpack('>ddddd', argument, at)
local elapsed = now % length * micro
local newest = math.min(floor(elapsed / size), buckets - 1)
elapsed = elapsed - newest * size
newest = newest + floor(now / length) * buckets

local counts, total, said = {}, 0, false
local integers = ('I7'):rep(buckets + 1)
local beyond = 0
local stored, other = read(key, 3)
local late, uses, lasts = 0, nil, 0
if stored then
  local _, _, length_then, buckets_then = unpack('>BI7I7I2', stored)
  other = length_then ~= length or buckets_then ~= buckets
end
if other then
  key, late, uses, lasts, joined = apart(key, 3, length, buckets)
  stored = not uses and read(key, 3)
end
if stored then
  local _, newest_then, _, _, from = unpack('>BI7I7I2', stored)
  if newest_then > newest then
    local ahead = (newest_then - newest) * size - elapsed
    if ahead <= size * buckets / 2 then
      -- a small step of the clock back: the counts stay in their sub-windows
      newest, elapsed = newest_then, -ahead
    else
      -- a large step back: the counts move with the clock
      newest_then, renewed = newest, true
    end
  end
  local passed = newest - newest_then
  if passed <= buckets then
    local recent = {unpack('>' .. integers, stored, from)}
    for i = 1, passed do
      counts[i] = 0
    end
    for i = passed + 1, buckets + 1 do
      counts[i] = recent[i - passed]
    end
  end
  -- the first permit of the newest sub-window has set the expiry
  said = passed == 0 and not renewed and counts[1] > 0
end
if uses then
  local carried
  uses, carried = since(now - length + 1, uses)
  if carried <= limit then
    for _, use in ipairs(uses) do
      local middle = floor((use[1] + use[2]) / 2)
      local number = math.min(floor(middle % length * micro / size), buckets - 1) + floor(middle / length) * buckets
      local place = math.max(math.min(newest - number + 1, buckets + 1), 1)
      counts[place] = (counts[place] or 0) + use[3]
    end
    renewed = carried > 0 and not dry
  else
    counts[1], beyond = carried, lasts
  end
end
if late > 0 then
  counts[1], renewed = (counts[1] or 0) + late, not dry
end
for i = 1, buckets + 1 do
  total = total + (counts[i] or 0)
end

local oldest = counts[buckets + 1] or 0
local forgivable = floor(limit / buckets)
local forgiven = oldest > 0 and elapsed > 0 and math.min(scaled(oldest, elapsed, size), forgivable) or 0

-- the time until `count` permits are left
local function wait_for(count)
  local missing = count - (limit - total)
  if count == 0 or missing <= forgiven then
    return 0
  end
  for i = buckets + 1, 1, -1 do
    local leaves, leaving = (buckets + 1 - i) * size - elapsed, counts[i] or 0
    if missing <= leaving and missing <= forgivable then
      return math.max(ceil((leaves + scaled_up(missing, size, leaving)) / micro), 1, beyond)
    end
    missing = missing - leaving
    if missing <= 0 then
      return math.max(ceil((leaves + size) / micro), 1, beyond)
    end
  end
end
refusal = wait_for(asked)
left = math.max(limit - total + forgiven, 0)

-- take

if count > 0 then
  counts[1], total = (counts[1] or 0) + count, total + count
  refusal = wait_for(1)
  left = math.max(limit - total + forgiven, 0)
end
for i = 1, buckets + 1 do
  counts[i] = counts[i] or 0
  if reset == 0 and counts[i] > 0 then
    reset = ceil(((buckets + 2 - i) * size - elapsed) / micro)
  end
end
if count > 0 or renewed then
  local state = pack('>BI7I7I2' .. integers, 3, newest, length, buckets, spread(counts, 1, buckets + 1))
  if said then
    call('SET', key, state, 'KEEPTTL')
  else
    call('SET', key, state, 'PX', ceil(reset / 1000) + grace)
  end
end
mark = newest
