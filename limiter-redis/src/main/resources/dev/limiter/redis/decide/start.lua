-- Decides all limits of a request, or all of it that lies on this node. All or none: nothing is written before all were
-- asked. This is the start of the script, `end.lua` its end; between them are the algorithms that the request needs.
--
-- KEYS     the state of each limit
-- ARGV[1]  packed: the time in microseconds, 0 for the server's; whether to charge nothing; then, for each key, the number
--          of the algorithm, permits, how many more have to be there, how long the request would wait, and what the
--          algorithm unpacks for itself
-- answers  packed: the time, negative if refused; for how long the request has to wait; then four numbers for each key:
--          the permits left, until when it refuses (0: it does not, -1: nobody knows), until when it is as new, and a
--          mark that giving back needs
--
-- Numbers are whole, and below 2^53 where they have to be exact. Times are never written as text: Lua cuts that to 14
-- digits. States are packed as integers of seven bytes.
local pack, unpack, call = struct.pack, struct.unpack, redis.call
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min

local now, dry, at = unpack('>dB', ARGV[1])
-- A state outlives its use by so many milliseconds; where the caller's time counts, the server's must not end it.
local grace = 3600000
if now == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  grace = 1000
end

-- Number of an algorithm -> function(key, permits, asked, patience): so many permits are to be taken from the limit in
-- that key, if `asked` are there, by somebody who would wait for so long. Returns until when it refuses (0: it does not);
-- for how long the request waits then; a function(taking, delay) that takes the permits for a turn in so long, if it is
-- to, and answers the four numbers (or false: the client has to ask again, knowing the time); and the longest that the
-- request may have to wait because of other limits, if there is such a bound.
local kinds = {}

-- a * b / c, rounded up: exact up to 2^60 / 2^40 / 2^40, beyond that a little more.
local function scaled_up(a, b, c)
  if a * b <= 2 ^ 52 then
    return ceil(a * b / c)
  end
  if b >= 2 ^ 40 or c >= 2 ^ 40 then
    return ceil(a / c * b * (1 + 2 ^ -50)) + 1
  end
  -- long division, a in digits of 12 bits
  local quotient, rest = 0, 0
  for shift = 48, 0, -12 do
    local part = rest * 4096 + floor(a / 2 ^ shift) % 4096 * b
    quotient = quotient * 4096 + floor(part / c)
    rest = part % c
  end
  return rest > 0 and quotient + 1 or quotient
end
