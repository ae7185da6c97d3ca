-- Consecutive windows, as in FixedWindow.java and FirstRequestWindow.java.
--
-- State: the start of the window, its end, the permits used of it, and the permits of the next window that waiting requests
-- have taken.
algorithms[2] = function(key, asked, permits, patience, count, delay)
  local ceil = math.ceil
  local rejection, wait, longest, renewed = 0, 0, 2 ^ 53, false
  local limit, align, length
  limit, align, length, at = unpack('>dBd', argument, at)
  -- The start of a window: a multiple of its length since the epoch (1), its first request (2), or a boundary among the
  -- arguments, because Lua has no calendar (3).
  local start = align == 1 and now - now % length or now
  local stop = start + length
  local after = stop + length
  if align == 3 then
    local bounds, found = {}, false
    for i = 1, 5 do
      bounds[i], at = unpack('>d', argument, at)
    end
    for i = 1, 3 do
      if bounds[i] <= now and now < bounds[i + 1] then
        start, stop, after, found = bounds[i], bounds[i + 1], bounds[i + 2], true
      end
    end
    if not found then
      -- the client repeats the request with the boundaries of this time
      do return pack('>i4d', 8, now) end
    end
  end

  local taken, expires = 0, 0
  local stored, used, beyond = read(key, 2, limit, stop - start)
  if stored then
    local _, began, ends, was_used, was_taken = unpack('>BI7I7I7I7', stored)
    local length_now, length_then = stop - start, ends - began
    -- months, and days with a daylight-saving change, differ in length
    local alike = length_then == length_now or align == 3 and math.abs(length_then / length_now - 1) < 0.2
    if align ~= 2 and ends == stop and began == start then
      used, taken = was_used, was_taken
      expires = taken > 0 and after or stop
    elseif align ~= 2 and ends == start then
      used = was_taken
    elseif alike and now < ends and (began > now or align == 2) then
      if align == 2 and was_used == 0 then
        used = 0
      elseif began - now <= length_now / 2 then
        -- a window from its first request, or a small step of the clock back
        used, taken = was_used, was_taken
        start, stop, after = began, ends, ends + length_now
      else
        -- a large step of the clock back: the used permits count in the current window
        used, renewed = align == 2 and was_used or math.min(was_used, limit), true
      end
    elseif now < ends or was_taken > 0 then
      -- another length or another start
      stored, used, beyond = read(key, 0, limit, length_now)
    end
  end
  if not stored then
    renewed = used > 0 and beyond == 0 and not dry
  end

  local fits = asked <= limit - taken
  if asked > 0 then
    if asked > limit - used then
      wait = (fits and stop or after) - now
    end
    -- the window after one from its first request begins with the request after that
    rejection = math.max(wait - (align == 2 and 0 or patience), (fits or wait == 0) and 0 or stop - now, beyond)
  end
  -- a longer wait would need permits of the next window, which has too few
  if permits > 0 and taken + permits > limit then
    longest = stop - now - 1
  end
  local left = limit - used

  if not count then
    count, delay = granted(rejection, wait, left, longest, permits), wait
  end
  local mark = stop
  if count == 0 and rejection == 0 and delay > longest then
    rejection = after - now
  end
  if count > 0 then
    if count <= limit - used and (align == 2 or delay < stop - now) then
      used = used + count
    else
      -- permits of the next window: the current one then has none left
      used, taken, mark = math.max(used, limit), taken + count, after
    end
    rejection = used < limit and 0 or (taken < limit and stop or after) - now
  end
  local reset = taken > 0 and after - now or used > 0 and stop - now or 0
  left = limit - used
  if count > 0 or renewed then
    local state, ends = pack('>BI7I7I7I7', 2, start, stop, used, taken), taken > 0 and after or stop
    if ends == expires then
      call('SET', key, state, 'KEEPTTL')
    else
      call('SET', key, state, 'PX', ceil((ends - now) / 1000) + grace)
    end
  end
  return left, rejection, reset, mark, 0, wait, longest
end
