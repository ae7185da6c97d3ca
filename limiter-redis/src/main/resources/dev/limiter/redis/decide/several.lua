-- Decides several limits: asks all, then takes from all, or from none.
local finish, permits, refused, delay, longest, there = {}, {}, false, 0, 2 ^ 53, 2 ^ 53
for i, key in ipairs(KEYS) do
  local kind, kept, patience
  kind, permits[i], kept, patience, at = unpack('>Bddd', ARGV[1], at)
  local asked = mode == 2 and 1 or permits[i] > 0 and permits[i] + kept or 0
  local refusal, wait, finished, left, latest = kinds[kind](key, permits[i], asked, patience)
  if not finished then
    return refusal
  end
  finish[i] = finished
  refused = refused or refusal ~= 0
  if wait > delay then
    delay = wait
  end
  if left < there then
    there = left
  end
  if latest < longest then
    longest = latest
  end
end

refused = refused or delay > longest
local some = 0
if mode == 2 and not refused then
  -- for those who are there; for later ones no more than a part of what is left, so that others find some, too
  some = math.max(math.min(needed, there), math.min(permits[1], floor(there / 8)))
end
local answer = {pack('>ddd', refused and -1 - now or now, refused and 0 or delay, some)}
for i = 1, #finish do
  local count = mode == 2 and some or permits[i]
  answer[i + 1] = pack('>dddd', finish[i]((refused or dry) and 0 or count, delay))
end
return table.concat(answer)
