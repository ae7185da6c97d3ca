-- Paced requests with a warm-up after idle time; WarmUpBucket.java has the formulas.
--
-- State: the time of the write; the units from it to the next turn; the rest at that turn; the same two values before the
-- last request, for undoing it; whether it can be undone; and the values of micro and full rest, the units of the state.
decide[6] = function(key, asked, permits, patience, count, delay)
  local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0
  local micro, permit, capacity, rested_fully
  micro, permit, capacity, rested_fully, at = unpack('>dddd', argument, at)
  local ahead, rest = 0, rested_fully

  local function interval(rested, count)
    local even = count * permit
    local above = math.max(rested - rested_fully / 2, 0)
    local above_after = math.max(rested - even - rested_fully / 2, 0)
    return even + (above == 0 and 0 or scaled_up(2 * (above - above_after), above + above_after, rested_fully))
  end

  local beyond = 0
  local stored, other = read(key, 6)
  local late, uses, lasts
  if other then
    key, late, uses, lasts, joined = apart(key, 6, 0, 0)
    stored = not uses and read(key, 6)
  end
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
  end
  late = late and late[1][3] or 0
  if uses then
    late = ceil(level_of(uses, micro, permit) / permit)
    beyond = late > capacity and lasts or 0
  end
  if late > 0 and beyond == 0 then
    local rested, count = math.min(rest + math.max(-ahead, 0), rested_fully), math.min(late, capacity)
    ahead, rest = math.max(ahead, 0) + interval(rested, count), math.max(rested - count * permit, 0)
    renewed = not dry
  end

  wait = asked == 0 and 0 or math.max(ceil(ahead / micro), 0)
  refusal = math.max(wait - patience, asked > 0 and beyond or 0, 0)
  left = ahead <= 0 and 1 or 0

  if not count then
    count, delay = granted(refusal, wait, left, longest, permits), wait
  end
  local reset, mark = 0, 0
  local before, rest_before, returnable = 0, 0, 0
  if count > 0 then
    local turn = math.max(ahead, delay > wait and delay * micro or 0, 0)
    local rested = math.min(rest + turn - ahead, rested_fully)
    local after = turn + interval(rested, count)
    local left = math.max(rested - count * permit, 0)
    before, rest_before, returnable = ahead, rest, 1
    ahead, rest = after, left
    refusal = ceil(ahead / micro)
  end
  if count > 0 or renewed then
    local state = pack('>BI7I7I7ddBI7I7', 6, now, ahead, rest, before, rest_before, returnable, micro, rested_fully)
    call('SET', key, state, 'PX', ceil((ahead + rested_fully - rest) / micro / 1000) + grace)
  end
  left = ahead <= 0 and 1 or 0
  reset = math.max(ceil((ahead + rested_fully - rest) / micro), 0)
  mark = ahead
  if joined and (count > 0 or renewed) then
    joined(count)
  end
  return left, refusal, reset, mark, returned, wait, longest
end

give_back[6] = function(key, permits, mark)
  key = place(key, 6)
  local stored = read(key, 6)
  if not stored then
    return
  end
  local _, written, ahead, _, ahead_before, rest_before, last, micro, full = unpack('>BI7I7I7ddBI7I7', stored)
  if last == 1 and written == taken_at and ahead == mark then
    local idle = math.max(-ahead_before, 0)
    local rest = math.min(rest_before + idle, full)
    call('SET', key, pack('>BI7I7I7ddBI7I7', 6, written, math.max(ahead_before, 0), rest, 0, 0, 0, micro, full), 'KEEPTTL')
  end
end
