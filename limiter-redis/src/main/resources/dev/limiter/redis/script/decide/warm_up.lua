-- Paced requests with a warm-up after idle time; WarmUpBucket.java has the formulas.
--
-- State: the time of the write; the units from it to the next turn; the rest at the turn; the same two values before the
-- last request, for undoing it; whether it can be undone; and the values of micro and full rest, the units of the state.
algorithms[6] = function(key, asked, permits, patience, count, delay)
  local floor, ceil = math.floor, math.ceil
  local renewed = false
  local micro, permit, capacity, window, rested_fully
  micro, permit, capacity, window, rested_fully, at = unpack('>ddddd', argument, at)
  local ahead, rest = 0, rested_fully

  local function interval(rested, count)
    local even = count * permit
    local above = math.max(rested - rested_fully / 2, 0)
    local above_after = math.max(rested - even - rested_fully / 2, 0)
    return even + (above == 0 and 0 or scaled(2 * (above - above_after), above + above_after, rested_fully, true))
  end

  local stored, carried, beyond = read(key, 6, capacity, window)
  if stored then
    local _, written, then_ahead, then_rest, _, _, _, units, full = unpack('>BI7I7I7ddBI7I7', stored)
    rest, ahead = then_rest, then_ahead - (now - written) * units
    if units ~= micro or full ~= rested_fully then
      rest = floor(rest / full * rested_fully)
      ahead, then_ahead = ceil(ahead * micro / units), ceil(then_ahead * micro / units)
    end
    local longest = interval(rested_fully, capacity)
    if now < written and ahead > math.max(longest, then_ahead) then
      -- the clock stepped back far: the next turn is one interval from now, but waiting requests keep their turns
      ahead, renewed = then_ahead > longest and then_ahead or interval(rest, 1), true
    end
  elseif carried > 0 and beyond == 0 then
    ahead, rest, renewed = interval(rest, carried), math.max(rest - carried * permit, 0), not dry
  end

  local wait = asked == 0 and 0 or math.max(ceil(ahead / micro), 0)
  local rejection = math.max(wait - patience, asked > 0 and beyond or 0, 0)
  local left = ahead <= 0 and beyond == 0 and 1 or 0

  if not count then
    count, delay = granted(rejection, wait, left, 2 ^ 53, permits), wait
  end
  local before, rest_before, returnable = 0, 0, 0
  if count > 0 then
    local turn = math.max(ahead, delay > wait and delay * micro or 0, 0)
    local rested = math.min(rest + turn - ahead, rested_fully)
    local after = turn + interval(rested, count)
    local left = math.max(rested - count * permit, 0)
    before, rest_before, returnable = ahead, rest, 1
    ahead, rest = after, left
    rejection = ceil(ahead / micro)
  end
  if count > 0 or renewed then
    local state = pack('>BI7I7I7ddBI7I7', 6, now, ahead, rest, before, rest_before, returnable, micro, rested_fully)
    call('SET', key, state, 'PX', ceil((ahead + rested_fully - rest) / micro / 1000) + grace)
  end
  left = ahead <= 0 and beyond == 0 and 1 or 0
  return left, rejection, math.max(ceil((ahead + rested_fully - rest) / micro), 0), ahead, 0, wait, 2 ^ 53
end
