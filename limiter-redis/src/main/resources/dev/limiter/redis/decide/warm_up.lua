
-- One request after the other, slowly after idling: as in WarmUpBucket.java, which has the formulas.
--
-- State: when it was written; how many units after that the next one may go; how much was rested by then; the same two
-- before the last one came, to undo it; whether it can be undone; and the micro and full rest that they were counted in.
kinds[6] = function(key, permits, asked, patience)
  local micro, permit, capacity, rested_fully
  micro, permit, capacity, rested_fully, at = unpack('>dddd', ARGV[1], at)
  local ahead, rest = 0, rested_fully

  local function interval(rested, count)
    local even = count * permit
    local above = max(rested - rested_fully / 2, 0)
    local above_after = max(rested - even - rested_fully / 2, 0)
    return even + (above == 0 and 0 or scaled_up(2 * (above - above_after), above + above_after, rested_fully))
  end

  local stored = call('GET', key)
  if stored then
    local written, then_ahead, then_rest, _, _, _, units, full = unpack('>I7I7I7ddBI7I7', stored)
    if now >= written then
      ahead = then_ahead - (now - written) * units
    else
      -- the clock stepped back: nobody waits for longer because of that
      ahead = min(then_ahead + (written - now) * units, max(then_ahead, interval(rested_fully, capacity)))
    end
    rest = then_rest
    if units ~= micro or full ~= rested_fully then
      rest = floor(then_rest / full * rested_fully)
      ahead = ceil(ahead * micro / units)
    end
  end

  local wait = asked == 0 and 0 or max(ceil(ahead / micro), 0)
  local refusal = max(wait - patience, 0)

  return refusal, wait, function(taking, delay)
    if taking then
      local turn = max(ahead, delay > wait and delay * micro or 0, 0)
      local rested = min(rest + turn - ahead, rested_fully)
      local after = turn + interval(rested, permits)
      local left = max(rested - permits * permit, 0)
      call('SET', key, pack('>I7I7I7ddBI7I7', now, after, left, ahead, rest, 1, micro, rested_fully), 'PX',
          ceil((after + rested_fully) / micro / 1000) + grace)
      ahead, rest = after, left
    end
    local idle = ahead + rested_fully - rest
    return pack('>dddd', ahead <= 0 and 1 or 0, refusal, max(ceil(idle / micro), 0), ahead)
  end
end
