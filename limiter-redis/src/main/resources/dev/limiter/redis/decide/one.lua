-- Decides one limit. It is written out here instead of being called, for speed.
local key = KEYS[1]
local _, permits, kept, patience
_, permits, kept, patience, at = unpack('>Bddd', ARGV[1], at)
local asked = mode == 2 and 1 or permits > 0 and permits + kept or 0
local refusal, wait, left, longest = 0, 0, 0, 2 ^ 53

-- ask

local refused = refusal ~= 0 or wait > longest
local delay, count, some = wait, 0, 0
if not refused and not dry then
  count = permits
  if mode == 2 then
    -- as in several.lua
    some = math.max(math.min(needed, left), math.min(permits, floor(left / 8)))
    count = some
  end
end
local reset, mark = 0, 0

-- take

return pack('>ddddddd', refused and -1 - now or now, refused and 0 or delay, some, left, refusal, reset, mark)
