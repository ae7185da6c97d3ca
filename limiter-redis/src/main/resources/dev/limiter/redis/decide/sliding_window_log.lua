-- Remembers when each permit was taken, as in SlidingWindowLogStrategy.java.
--
-- State: a list of whole numbers: how many permits are remembered in all, and the length of the window; then, oldest first,
-- a time and how many were taken then. A list keeps numbers in nine bytes and fewer, and the head is read without the rest.
local limit, length
limit, length, at = unpack('>dd', argument, at)
local total, last, renewed, beyond = 0, now, false, 0
local stored = redis.pcall('LRANGE', key, 0, 3)
local other = wrong_type(stored) or stored[2] and tonumber(stored[2]) ~= length
if other then
  stored = {}
  total, beyond = left_by_another(key, now)
  if total <= limit then
    renewed, beyond = total > 0 and not dry, 0
  end
elseif stored[1] then
  total = tonumber(stored[1])
  last = tonumber(call('LINDEX', key, -2))
  if last - now > length / 2 then
    -- the clock stepped back far: what is remembered goes back with it
    local list = call('LRANGE', key, 0, -1)
    for i = 3, #list, 2 do
      list[i] = list[i] - (last - now)
    end
    -- in this order: without memory the first fails, and leaves the state as it is
    for i = 1, #list, 1000 do
      call('RPUSH', key, spread(list, i, math.min(i + 999, #list)))
    end
    call('LTRIM', key, #list, -1)
    stored, last = {list[1], list[2], list[3], list[4]}, now
  end
  -- what has left the window
  local gone = 0
  local head, from = stored, 2
  while head[from + 1] and tonumber(head[from + 1]) <= now - length do
    total = total - head[from + 2]
    gone = gone + 2
    from = from + 2
    if not head[from + 1] then
      head, from = call('LRANGE', key, gone + 2, gone + 65), 0
    end
  end
  if gone > 0 then
    if total == 0 or not head[from + 1] then
      call('DEL', key)
      total, stored = 0, {}
    else
      -- in this order, for the same reason
      call('LSET', key, gone, total)
      call('LSET', key, gone + 1, length)
      call('LTRIM', key, gone, -1)
      stored = {total, length, head[from + 1], head[from + 2]}
    end
  end
end

-- until when so many permits are not there
local function wait_for(count)
  local missing = count - (limit - total)
  if count == 0 or missing <= 0 then
    return 0
  end
  local head, from, index = stored, 2, 2
  while head[from + 1] do
    missing = missing - head[from + 2]
    if missing <= 0 then
      return head[from + 1] + length - now
    end
    from, index = from + 2, index + 2
    if not head[from + 1] then
      head, from = call('LRANGE', key, index, index + 63), 0
    end
  end
  return math.max(length, beyond)
end
refusal = wait_for(asked)
left = math.max(limit - total, 0)

-- take

mark = now
if stored[1] and last > now then
  mark = last
end
total = total + count
if (count > 0 or renewed) and not stored[1] then
  if other then
    call('DEL', key)
  end
  call('RPUSH', key, total, length, mark, total)
elseif count > 0 then
  if last == mark then
    call('LSET', key, -1, call('LINDEX', key, -1) + count)
  else
    call('RPUSH', key, mark, count)
  end
  call('LSET', key, 0, total)
end
if count > 0 or renewed then
  call('PEXPIRE', key, ceil((mark + length - now) / 1000) + grace)
  last = mark
end
if count > 0 then
  refusal = wait_for(1)
end
reset = total > 0 and last + length - now or 0
left = math.max(limit - total, 0)
