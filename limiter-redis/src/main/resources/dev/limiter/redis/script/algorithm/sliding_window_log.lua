-- A log of the time of each permit, as in SlidingWindowLogStrategy.java.
--
-- State: a list of integers: the number of all permits in the log, and the length of the window; then, oldest first, the
-- entries: a time, and the permits taken at that time. A list stores an integer in at most nine bytes, and its head is read
-- without the rest.
decide[4] = function(key, asked, permits, patience, count, delay)
  local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0
  local limit, length
  limit, length, at = unpack('>dd', argument, at)
  local total, last, beyond = 0, now, 0
  local stored = try('LRANGE', key, 0, 3)
  local late, uses, lasts
  if wrong_type(stored, 'LRANGE') or stored[2] and tonumber(stored[2]) ~= length then
    key, late, uses, lasts, joined = apart(key, 4, length, 0)
    stored = uses and {} or call('LRANGE', key, 0, 3)
  end
  if uses then
    uses, total = since(now - length + 1, uses)
    if total > limit then
      beyond = lasts
    elseif total > 0 and not dry then
      renewed = true
      call('UNLINK', key)
      call('RPUSH', key, total, length)
      -- another limit of the request may fail before the list is used
      call('PEXPIRE', key, ceil(length / 1000) + grace)
      local list = {}
      for i, use in ipairs(uses) do
        list[2 * i - 1], list[2 * i] = floor((use[1] + use[2]) / 2), use[3]
      end
      for i = 1, #list, 1000 do
        call('RPUSH', key, spread(list, i, math.min(i + 999, #list)))
      end
      stored = call('LRANGE', key, 0, 3)
    end
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
      -- a trim that the user may not do fails here, before the append: without the trim the copies would count besides
      call('LTRIM', key, 0, -1)
      for i = 1, size, 1000 do
        call('RPUSH', key, spread(list, i, math.min(i + 999, size)))
      end
      call('LTRIM', key, -size, -1)
      stored, last = {list[1], list[2], list[3], list[4]}, now
    end
    if last <= now - length then
      call('UNLINK', key)
      total, stored = 0, {}
    end
    -- Entries that have left the window. A call removes no more than its budget admits; the next calls remove the rest, and an
    -- entry counts until its removal.
    local gone, most = 0, 2 * math.max(budget, 32)
    local head, from = stored, 2
    local last_gone, last_count
    while head[from + 1] and tonumber(head[from + 1]) <= now - length and gone < most do
      last_gone, last_count = head[from + 1], head[from + 2]
      total = total - last_count
      gone = gone + 2
      from = from + 2
      if not head[from + 1] then
        head, from = call('LRANGE', key, gone + 2, gone + 257), 0
      end
    end
    if gone > 0 then
      budget = budget - gone / 2
      if total == 0 or not head[from + 1] then
        call('UNLINK', key)
        total, stored = 0, {}
      else
        -- the trim comes last: with a full memory the first write fails, and leaves the state unchanged
        call('LSET', key, gone, total)
        call('LSET', key, gone + 1, length)
        local trimmed = try('LTRIM', key, gone, -1)
        if trimmed.err then
          call('LSET', key, gone, last_gone)
          call('LSET', key, gone + 1, last_count)
          error('LTRIM: ' .. trimmed.err)
        end
        stored = {total, length, head[from + 1], head[from + 2]}
      end
    end
  end
  if late then
    local _, carried = since(0, late)
    total, renewed = total + carried, not dry
  end

  -- the time until `count` permits are left
  local function wait_for(count)
    local missing = count - (limit - total)
    if count == 0 or missing <= 0 then
      return 0
    end
    local head, from, index = stored, 2, 2
    local most = 2 * math.min(math.max(looks, 32), 1000)
    while head[from + 1] and index < most do
      missing = missing - head[from + 2]
      looks = looks - 1
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
    for _, use in ipairs(late or {}) do
      missing = missing - use[3]
      if missing <= 0 then
        return math.max(use[1] + length - now, 1)
      end
    end
    return math.max(length, beyond)
  end
  refusal = wait_for(asked)
  left = limit - total

  if not count then
    count, delay = granted(refusal, wait, left, longest, permits), wait
  end
  local reset, mark = 0, 0
  mark = now
  if stored[1] and last > now then
    mark = last
  end
  total = total + count
  -- the permits taken by other instances enter the log in the order of their times, and those of one time as one entry
  local taken, list, earliest = count, {}, stored[1] and last or 0
  for _, use in ipairs(late or {}) do
    local time = math.max(use[1], earliest)
    if time < mark then
      list[#list + 1], list[#list + 2] = time, use[3]
    else
      taken = taken + use[3]
    end
  end
  if taken > 0 then
    list[#list + 1], list[#list + 2] = mark, taken
  end
  if list[1] and not dry and not stored[1] then
    if joined then
      call('UNLINK', key)
    end
    call('RPUSH', key, total, length, spread(list))
  elseif list[1] and not dry then
    -- the total comes first: an entry that it lacks would be taken off it all the same
    call('LSET', key, 0, total)
    local added
    if last == mark then
      added = try('LSET', key, -1, call('LINDEX', key, -1) + taken)
    else
      added = try('RPUSH', key, spread(list))
    end
    if type(added) == 'table' and added.err then
      call('LSET', key, 0, stored[1])
      error('RPUSH: ' .. added.err)
    end
  end
  if count > 0 or renewed then
    call('PEXPIRE', key, ceil((mark + length - now) / 1000) + grace)
    last = list[#list - 1] or mark
  end
  if count > 0 then
    refusal = wait_for(1)
  end
  reset = total > 0 and last + length - now or 0
  left = limit - total
  if joined and (count > 0 or renewed) then
    joined(count)
  end
  return left, refusal, reset, mark, returned, wait, longest
end

give_back[4] = function(key, permits, mark)
  local length
  length, at = unpack('>d', argument, at)
  key = place(key, 4, length)
  local size = try('LLEN', key)
  if type(size) == 'table' and wrong_type(size, 'LLEN') then
    return
  end
  local pairs_held = (size - 2) / 2
  local low, high = 0, pairs_held
  while low < high do
    local middle = floor((low + high) / 2)
    if tonumber(call('LINDEX', key, 2 * middle + 2)) < mark then
      low = middle + 1
    else
      high = middle
    end
  end
  if low >= pairs_held or tonumber(call('LINDEX', key, 2 * low + 2)) ~= mark then
    return
  end
  local then_taken = tonumber(call('LINDEX', key, 2 * low + 3))
  local returned = math.min(permits, then_taken)
  local total = call('LINDEX', key, 0) - returned
  if total == 0 then
    call('DEL', key)
    return
  end
  call('LSET', key, 2 * low + 3, then_taken - returned)
  call('LSET', key, 0, total)
  -- the time of the last entry determines the reset: empty entries at the end are removed
  for _ = 1, 1000 do
    if tonumber(call('LINDEX', key, -1)) > 0 then
      break
    end
    -- an error would have the permits returned once more; the entries that stay count for nothing
    if try('LTRIM', key, 0, -3).err then
      break
    end
  end
end
