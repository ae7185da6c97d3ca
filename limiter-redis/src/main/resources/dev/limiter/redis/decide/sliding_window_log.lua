
-- Remembers when each permit was taken, as in SlidingWindowLogStrategy.java.
--
-- State: a list of whole numbers: how many permits are remembered in all; then, oldest first, a time and how many were
-- taken then. A list keeps numbers in nine bytes and fewer, and the head is read without the rest.
kinds[4] = function(key, permits, asked, patience)
  local limit, length
  limit, length, at = unpack('>dd', ARGV[1], at)
  local total = 0
  local stored = call('LRANGE', key, 0, 2)
  local last = now
  if stored[1] then
    total = tonumber(stored[1])
    last = tonumber(call('LINDEX', key, -2))
    if last - now > length / 2 then
      -- the clock stepped back far: what is remembered goes back with it
      local times = call('LRANGE', key, 1, -1)
      for i = 1, #times, 2 do
        call('LSET', key, i, times[i] - (last - now))
        if i == 1 then
          stored[2] = times[1] - (last - now)
        end
      end
      last = now
    end
    -- what has left the window
    local gone = 0
    local head, from = stored, 1
    while head[from + 1] and tonumber(head[from + 1]) <= now - length do
      total = total - head[from + 2]
      gone = gone + 2
      from = from + 2
      if not head[from + 1] then
        head, from = call('LRANGE', key, gone + 1, gone + 64), 0
      end
    end
    if gone > 0 then
      if total == 0 or not head[from + 1] then
        call('DEL', key)
        total, stored = 0, {}
      else
        -- in this order: without memory the first fails, and leaves the state as it is
        call('LSET', key, gone, total)
        call('LTRIM', key, gone, -1)
        stored = {total, head[from + 1], head[from + 2]}
      end
    end
  end

  local missing = asked - (limit - total)
  local wait = 0
  if asked > 0 and missing > 0 then
    local head, from, index = stored, 1, 1
    while true do
      missing = missing - head[from + 2]
      if missing <= 0 then
        wait = head[from + 1] + length - now
        break
      end
      from, index = from + 2, index + 2
      if not head[from + 1] then
        head, from = call('LRANGE', key, index, index + 63), 0
      end
    end
  end

  return wait, 0, function(taking)
    local time = now
    if stored[1] and last > now then
      time = last
    end
    if taking then
      total = total + permits
      if not stored[1] then
        call('RPUSH', key, total, time, permits)
      else
        if last == time then
          call('LSET', key, -1, call('LINDEX', key, -1) + permits)
        else
          call('RPUSH', key, time, permits)
        end
        call('LSET', key, 0, total)
      end
      call('PEXPIRE', key, ceil((time + length - now) / 1000) + grace)
      last = time
    end
    local reset = total > 0 and last + length - now or 0
    return pack('>dddd', max(limit - total, 0), wait, reset, time)
  end
end
