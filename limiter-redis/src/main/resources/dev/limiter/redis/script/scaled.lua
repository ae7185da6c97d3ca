-- Returns a * b / c, rounded down or up. Exact for a below 2^53, b and c below 2^50, and a quotient below 2^53; otherwise
-- slightly too low or too high.
local function scaled(a, b, c, up)
  local floor = math.floor
  if a * b <= 2 ^ 52 then
    return up and math.ceil(a * b / c) or floor(a * b / c)
  end
  if b >= 2 ^ 50 or c >= 2 ^ 50 then
    return up and math.ceil(a / c * b * (1 + 2 ^ -50)) + 1 or math.max(floor(a / c * b * (1 - 2 ^ -50)) - 1, 0)
  end
  -- long division by digits of `bits` bits: no intermediate value exceeds 2^53
  local bits = (b < 2 ^ 40 and c < 2 ^ 40) and 12 or (b < 2 ^ 46 and c < 2 ^ 46) and 6 or 2
  local digit, quotient, rest = 2 ^ bits, 0, 0
  for shift = 54 - 54 % bits, 0, -bits do
    local part = rest * digit + floor(a / 2 ^ shift) % digit * b
    quotient = quotient * digit + floor(part / c)
    rest = part % c
  end
  return up and rest > 0 and quotient + 1 or quotient
end
