
-- Only what has not leaked yet: of a charge that ended at the mark, what lies between now and there. More could return
-- what somebody else took after the bucket had been empty. Nothing while others wait behind the charge: their turns are
-- fixed, and what is returned here would be granted twice.
kinds[1] = function(key, mark)
  local micro, permit, full
  micro, permit, full, at = unpack('>ddd', ARGV[1], at)
  key = place(key, 1)
  local stored = read(key, 1)
  if not stored then
    return
  end
  local form = #stored == 28 and '>BI7I7I4BI3I5' or '>BI7I7I4BI7I7'
  local _, written, level, expires, waiting, units, cost = unpack(form, stored)
  level = max(level - max(now - written, 0) * units, 0)
  local ended = max(mark - max(now - taken_at, 0) * micro, 0)
  local last = written == taken_at and units == micro and level == ended
  local visible = min(ended, permits * permit)
  if cost ~= permit then
    visible = floor(visible / permit * cost)
  end
  visible = min(visible, level)
  if visible > 0 and (last or waiting == 0 or level <= full / permit * cost) then
    level = level - visible
    if level <= 0 then
      call('DEL', key)
    else
      call('SET', key, pack(form, 1, now, level, expires, waiting, units, cost), 'KEEPTTL')
    end
  end
end
