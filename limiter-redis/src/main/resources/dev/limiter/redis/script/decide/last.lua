local asked = mode == 2 and 1 or permits > 0 and permits + kept or 0
local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0

-- ask

if wait > delay then
  delay = wait
end
if longest < latest then
  latest = longest
end
refused = refused or refusal ~= 0 or delay > latest
local count, some = 0, 0
if not refused and not dry then
  count = permits
  if mode == 2 then
    if left < there then
      there = left
    end
    -- all permits that present requests need; for future requests an eighth of the rest, which leaves permits to others
    some = there < needed and there or needed
    if some < permits then
      some = math.max(some, math.min(permits, floor(there / 8)))
    end
    count = some
  end
end
local reset, mark = 0, 0

-- take
if joined and (count > 0 or renewed) then
  joined(count)
end
