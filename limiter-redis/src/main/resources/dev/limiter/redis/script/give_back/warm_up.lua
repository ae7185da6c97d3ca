algorithms[6] = function(key, permits, mark)
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
