
-- Windows that follow each other, as in FixedWindow.java and FirstRequestWindow.java.
--
-- State: when the window ends, what of it is used, and what of the next one was taken by those who wait for it.
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

  local used, taken = 0, 0
  local stored = call('GET', key)
  if stored then
    local ends, was_used, was_taken = unpack('>I7I7I7', stored)
    if ends == stop then
      used, taken = was_used, was_taken
    elseif ends == start and align ~= 2 then
      used = was_taken
    elseif ends > now then
      -- Another window is open: it began with its first request, the clock stepped back a little, or back far, or the
      -- length was changed. In the last two cases what is used counts in the window that is now.
      local length_now = stop - start
      local ahead = ends - length_now - now
      local same = align == 2 or align == 3 or (ends - stop) % length == 0
      if align == 2 and was_used == 0 then
        used = 0
      elseif same and (ahead > 0 or align == 2) and ahead <= length_now / 2 then
        used, taken = was_used, was_taken
        start, stop, after = ends - length_now, ends, ends + length_now
      else
        used = min(was_used, limit)
      end
    end
  end

  local fits = asked <= limit - taken
  local wait = 0
  if asked > 0 and asked > limit - used then
    wait = (fits and stop or after) - now
  end
  local refusal = max(wait - patience, (fits or wait == 0) and 0 or stop - now)

  -- of the next window, who has to wait for longer than this one is open
  local latest = taken + permits <= limit and 2 ^ 53 or stop - now - 1

  return refusal, wait, function(taking, delay)
    local mark = stop
    if not taking and refusal == 0 and delay > latest then
      refusal = after - now
    end
    if taking then
      if permits <= limit - used and delay < stop - now then
        used = used + permits
      else
        -- of the next window: of this one nothing may be had any more
        used, taken, mark = max(used, limit), taken + permits, after
      end
      call('SET', key, pack('>I7I7I7', stop, used, taken), 'PX', ceil(((taken > 0 and after or stop) - now) / 1000) + grace)
    end
    local reset = taken > 0 and after - now or used > 0 and stop - now or 0
    return pack('>dddd', max(limit - used, 0), refusal, reset, mark)
  end, latest
end
