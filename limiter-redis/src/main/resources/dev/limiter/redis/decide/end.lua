
local finish, charged, refused, delay, longest = {}, {}, false, 0, 2 ^ 53
for i, key in ipairs(KEYS) do
  local kind, permits, kept, patience
  kind, permits, kept, patience, at = unpack('>Bddd', ARGV[1], at)
  charged[i] = permits > 0
  local refusal, wait, finished, latest = kinds[kind](key, permits, permits > 0 and permits + kept or 0, patience)
  if not finished then
    return pack('>d', now)
  end
  finish[i] = finished
  refused = refused or refusal ~= 0
  delay = max(delay, wait)
  longest = min(longest, latest or longest)
end

refused = refused or delay > longest
local taking = not refused and dry == 0
local answer = pack('>dd', refused and -1 - now or now, refused and 0 or delay)
for i = 1, #finish do
  answer = answer .. finish[i](taking and charged[i], delay)
end
return answer
