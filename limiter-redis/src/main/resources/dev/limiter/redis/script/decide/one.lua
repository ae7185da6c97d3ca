-- One request with one limit: the decision is written out without a function, for speed.
local key = KEYS[1]
local _, permits, kept, patience
_, _, permits, kept, patience, at = unpack('>BBddd', argument, at)
local refused, delay, latest, there = false, 0, 2 ^ 53, 2 ^ 53

-- last

return pack('>i4dddddddd', 64, refused and -1 - now or now, some, left, refusal, reset, mark, returned, delay)
