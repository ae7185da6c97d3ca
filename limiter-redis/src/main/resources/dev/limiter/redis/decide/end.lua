
local finish, permits, refused, delay, longest, there = {}, {}, false, 0, 2 ^ 53, 2 ^ 53
for i, key in ipairs(KEYS) do
  local kind, count, kept, patience
  kind, count, kept, patience, at = unpack('>Bddd', ARGV[1], at)
  local asked = mode == 2 and 1 or count > 0 and count + kept or 0
  local refusal, wait, finished, left, latest = kinds[kind](key, count, asked, patience)
  if not finished then
    return pack('>d', now)
  end
  finish[i], permits[i] = finished, count
  refused = refused or refusal ~= 0
  delay = max(delay, wait)
  there = min(there, left)
  longest = min(longest, latest or longest)
end

refused = refused or delay > longest
local some = 0
if mode == 2 and not refused then
  -- for those who are there; for later ones no more than a part of what is left, so that others find some, too
  some = max(min(needed, there), min(permits[1], floor(there / 8)))
end
local answer = pack('>ddd', refused and -1 - now or now, refused and 0 or delay, some)
for i = 1, #finish do
  local count = mode == 2 and some or permits[i]
  answer = answer .. finish[i]((refused or dry == 1) and 0 or count, delay)
end
return answer
