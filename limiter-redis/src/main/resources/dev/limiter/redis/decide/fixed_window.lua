
-- Windows that follow each other, as in FixedWindow.java and FirstRequestWindow.java.
--
-- State: when the window began, when it ends, what of it is used, and what of the next one was taken by those who wait for it.
-- How a window is found: by its length from the epoch (1), from its first request (2), or among boundaries that the
-- client sends, because Lua knows no calendar (3).
local function window_at(align, length, bounds)
  if align == 1 then
    local start = now - now % length
    return start, start + length, start + 2 * length
  end
  if align == 2 then
    return now, now + length, now + 2 * length
  end
  for i = 1, #bounds - 2 do
    if bounds[i] <= now and now < bounds[i + 1] then
      return bounds[i], bounds[i + 1], bounds[i + 2]
    end
  end
end

kinds[2] = function(key, permits, asked, patience)
  local limit, align, length
  limit, align, length, at = unpack('>dBd', ARGV[1], at)
  local bounds = {}
  if align == 3 then
    for i = 1, 5 do
      bounds[i], at = unpack('>d', ARGV[1], at)
    end
  end
  local start, stop, after = window_at(align, length, bounds)
  if not start then
    return 0, 0, false
  end

  local used, taken, renewed, beyond = 0, 0, false, 0
  local stored, other = read(key, 2)
  if stored then
    local _, began, ends, was_used, was_taken = unpack('>BI7I7I7I7', stored)
    local length_now, length_then = stop - start, ends - began
    -- months and days with a change of clocks are not equally long
    local alike = align == 3 and abs(length_then / length_now - 1) < 0.2 or length_then == length_now
    if align ~= 2 and ends == stop and began == start then
      used, taken = was_used, was_taken
    elseif align ~= 2 and ends == start then
      used = was_taken
    elseif alike and now < ends and (began > now or align == 2) then
      if align == 2 and was_used == 0 then
        used = 0
      elseif began - now <= length_now / 2 then
        -- it began with its first request, or the clock stepped back a little
        used, taken = was_used, was_taken
        start, stop, after = began, ends, ends + length_now
      else
        -- the clock stepped back far: what is used counts in the window that is now
        used, renewed = align == 2 and was_used or min(was_used, limit), true
      end
    else
      other = not alike or align ~= 2 and now < ends
    end
  end
  if other then
    used, beyond = left_by_another(key)
    if used <= limit then
      renewed, beyond = used > 0 and dry == 0, 0
    end
  end

  local fits = asked <= limit - taken
  local wait = 0
  if asked > 0 and asked > limit - used then
    wait = (fits and stop or after) - now
  end
  local refusal = max(wait - patience, (fits or wait == 0) and 0 or stop - now, asked > 0 and beyond or 0)

  -- of the next window, who has to wait for longer than this one is open
  local latest = taken + permits <= limit and 2 ^ 53 or stop - now - 1

  return refusal, wait, function(count, delay)
    local mark = stop
    if count == 0 and refusal == 0 and delay > latest then
      refusal = after - now
    end
    if count > 0 then
      if count <= limit - used and delay < stop - now then
        used = used + count
      else
        -- of the next window: of this one nothing may be had any more
        used, taken, mark = max(used, limit), taken + count, after
      end
      refusal = used < limit and 0 or (taken < limit and stop or after) - now
    end
    if count > 0 or renewed then
      local lasts = ceil(((taken > 0 and after or stop) - now) / 1000)
      call('SET', key, pack('>BI7I7I7I7', 2, start, stop, used, taken), 'PX', lasts + grace)
    end
    local reset = taken > 0 and after - now or used > 0 and stop - now or 0
    return pack('>dddd', max(limit - used, 0), refusal, reset, mark)
  end, beyond > 0 and 0 or limit - used, latest
end
