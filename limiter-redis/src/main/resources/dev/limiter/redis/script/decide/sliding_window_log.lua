-- A log of the time of each permit, as in PermitLog.java.
--
-- State: a list of integers: the number of all permits in the log, and the length of the window; then, oldest first, the
-- entries: a time, and the permits taken then. A list stores an integer in at most nine bytes, and its head is read
-- without the rest.
algorithms[4] = function(key, asked, permits, patience, count)
  local ceil = math.ceil
  local renewed = false
  local limit, length
  limit, length, at = unpack('>dd', argument, at)
  local total, last, beyond, lasting = 0, now, 0, length
  local stored = redis.pcall('LRANGE', key, 0, 3)
  local other = stored.err
  if other then
    if not other:find('WRONGTYPE', 1, true) then
      error('LRANGE: ' .. other)
    end
    local _
    stored = {}
    _, total, beyond = read(key, 0, limit, length)
    renewed = total > 0 and beyond == 0 and not dry
  elseif stored[2] and tonumber(stored[2]) ~= length then
    -- The window has changed. The entries keep their times, except for those that have left the former window. The list must
    -- not expire before the change is written.
    read(key, 0, 0, 0)
    lasting = math.min(length, stored[2])
    call('PEXPIRE', key, ceil(math.max(length, stored[2]) / 1000) + grace)
    call('LSET', key, 1, length)
    renewed = true
  end
  if stored[1] then
    total = tonumber(stored[1])
    last = tonumber(call('LINDEX', key, -2))
    if last - now > length / 2 then
      -- the clock stepped back far: the entries move with it
      local list = {total, length, last, total}
      if call('LLEN', key) <= 2002 then
        list = call('LRANGE', key, 0, -1)
      end
      local size = #list
      for i = 3, size, 2 do
        list[i] = list[i] - (last - now)
      end
      -- if the user lacks the permission to trim, this fails before the append; without a trim, entries would count twice
      call('LTRIM', key, 0, -1)
      for i = 1, size, 1000 do
        call('RPUSH', key, spread(list, i, math.min(i + 999, size)))
      end
      call('LTRIM', key, -size, -1)
      stored, last = {list[1], list[2], list[3], list[4]}, now
    end
    if last <= now - lasting then
      call('UNLINK', key)
      total, stored = 0, {}
    end
    -- Entries that have left the window. A call removes only as many as its budget allows; later calls remove the rest, and an
    -- entry counts until its removal.
    local gone, most = 0, 2 * math.max(1000 / #KEYS, 32)
    local head, from = stored, 2
    local last_gone, last_count
    while head[from + 1] and tonumber(head[from + 1]) <= now - lasting and gone < most do
      last_gone, last_count = head[from + 1], head[from + 2]
      total = total - last_count
      gone = gone + 2
      from = from + 2
      if not head[from + 1] then
        head, from = call('LRANGE', key, gone + 2, gone + 257), 0
      end
    end
    if gone > 0 then
      if total == 0 or not head[from + 1] then
        call('UNLINK', key)
        total, stored = 0, {}
      else
        -- the trim comes last: with a full memory the first write fails, and leaves the state unchanged
        call('LSET', key, gone, total)
        call('LSET', key, gone + 1, length)
        local trimmed = redis.pcall('LTRIM', key, gone, -1)
        if trimmed.err then
          call('LSET', key, gone, last_gone)
          call('LSET', key, gone + 1, last_count)
          error('LTRIM: ' .. trimmed.err)
        end
        stored = {total, length, head[from + 1], head[from + 2]}
      end
    end
  end

  -- the time until `count` permits are left
  local function wait_for(count)
    local missing = count - (limit - total)
    if count == 0 or missing <= 0 then
      return 0
    end
    local head, from, index = stored, 2, 2
    local most = 2 * math.min(math.max(4000 / #KEYS, 32), 1000)
    while head[from + 1] and index < most do
      missing = missing - head[from + 2]
      if missing <= 0 then
        return math.max(head[from + 1] + length - now, 1)
      end
      from, index = from + 2, index + 2
      if not head[from + 1] then
        head, from = call('LRANGE', key, index, index + 255), 0
      end
    end
    if head[from + 1] then
      return math.max(head[from + 1] + length - now, 1)
    end
    return math.max(length, beyond)
  end
  local rejection = wait_for(asked)

  if not count then
    count = granted(rejection, 0, limit - total, 2 ^ 53, permits)
  end
  local mark = now
  if stored[1] and last > now then
    mark = last
  end
  total = total + count
  if other and (count > 0 or renewed) then
    call('UNLINK', key .. '~new')
    call('RPUSH', key .. '~new', total, length, mark, total)
    call('PEXPIRE', key .. '~new', ceil(length / 1000) + grace)
    call('RENAME', key .. '~new', key)
  elseif not stored[1] and count > 0 then
    call('RPUSH', key, total, length, mark, count)
  elseif count > 0 then
    -- the total comes first: expiry would subtract an entry even if the total did not include it
    call('LSET', key, 0, total)
    local added
    if last == mark then
      added = redis.pcall('LSET', key, -1, call('LINDEX', key, -1) + count)
    else
      added = redis.pcall('RPUSH', key, mark, count)
    end
    if type(added) == 'table' and added.err then
      call('LSET', key, 0, stored[1])
      error('RPUSH: ' .. added.err)
    end
  end
  if count > 0 or renewed then
    last = count > 0 and mark or last
    call('PEXPIRE', key, ceil((last + length - now) / 1000) + grace)
  end
  if count > 0 then
    rejection = wait_for(1)
  end
  return limit - total, rejection, total > 0 and last + length - now or 0, mark, 0, 0, 2 ^ 53
end
