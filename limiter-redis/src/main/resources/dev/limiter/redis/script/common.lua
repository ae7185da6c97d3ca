-- What all algorithms use. A script consists of this file, for decisions `other_forms.lua`, the files of the algorithms that
-- it needs, and `decide.lua` or `give_back.lua`.
--
-- Each algorithm has a number, and under it a function in each of the two scripts:
--
-- decide     Given the key of a limit, the permits that have to be there, the permits to take, and the longest wait: takes the
--            permits if the limit permits it. Given also the permits to take in any case and the wait for the turn: takes
--            those. Returns five numbers of the reply, then the wait for a turn, and the longest wait that other limits of
--            the rule may impose; or only the reply to the request.
-- give_back  Returns permits, given the key, their number, and the mark and the count of returned permits in the reply.
--
-- Numbers are integers, below 2^53 where they must be exact. Times are microseconds; they are never converted to text: Lua
-- cuts it to 14 digits. A state that is a string begins with the number of its algorithm, followed by integers of seven
-- bytes.
--
-- A function costs time for each upvalue even when it is not called: rarely needed functions have none.
local spread = unpack
local pack, unpack, call, try, floor, ceil = struct.pack, struct.unpack, redis.call, redis.pcall, math.floor, math.ceil
local decide, give_back = {}, {}

-- The arguments, of which `at` is the position of the next one.
local argument = ARGV[1]
local now, at = unpack('>d', argument)
-- The milliseconds by which a state outlives its use. With the time of the client they are many: the clock of the server
-- must not expire the state.
local grace = 3600000
if now < 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  grace = 1000
end

-- What a request asks for: whether it takes nothing; and, if it takes as many permits as there are, the permits that it
-- needs.
local dry, needed = false, false
-- What `granted` has found.
local refused, some = false, 0
-- When the permits were taken that are returned.
local taken_at
-- The entries and holds that this call may still look at or remove, besides a few of each state: the server is blocked
-- meanwhile, however much is stored under its keys.
local budget = 1000
-- The entries that the requests of a call may look at to tell when permits come back, and at least 32 each.
local looks = 4000

-- Whether a reply is the error of a key with another type. Any other error is raised.
local function wrong_type(reply, command)
  if reply.err and not reply.err:find('WRONGTYPE', 1, true) then
    error(command .. ': ' .. reply.err)
  end
  return reply.err ~= nil
end

-- The state of a key if it is a string of this algorithm; and whether the key holds the state of another algorithm.
local function read(key, kind)
  local stored = try('GET', key)
  if not stored then
    return false, false
  end
  if stored.err then
    return false, wrong_type(stored, 'GET')
  end
  if stored:byte(1) ~= kind then
    return false, true
  end
  return stored, false
end

-- a * b / c, rounded down, and the remainder: exact for a below 2^53, b and c below 2^50 and a quotient below 2^53.
-- Other results are slightly too low.
local function scaled(a, b, c)
  local floor = math.floor
  if a * b <= 2 ^ 52 then
    local quotient = floor(a * b / c)
    return quotient, a * b - quotient * c
  end
  if b >= 2 ^ 50 or c >= 2 ^ 50 then
    return math.max(floor(a / c * b * (1 - 2 ^ -50)) - 1, 0), 0
  end
  -- long division by digits of `bits` bits: no intermediate value exceeds 2^53
  local bits = (b < 2 ^ 40 and c < 2 ^ 40) and 12 or (b < 2 ^ 46 and c < 2 ^ 46) and 6 or 2
  local digit, quotient, rest = 2 ^ bits, 0, 0
  for shift = 54 - 54 % bits, 0, -bits do
    local part = rest * digit + floor(a / 2 ^ shift) % digit * b
    quotient = quotient * digit + floor(part / c)
    rest = part % c
  end
  return quotient, rest
end

-- a * b / c, rounded up; outside the exact range slightly too high.
local function scaled_up(a, b, c)
  if b >= 2 ^ 50 or c >= 2 ^ 50 then
    return a * b <= 2 ^ 52 and math.ceil(a * b / c) or math.ceil(a / c * b * (1 + 2 ^ -50)) + 1
  end
  local quotient, rest = scaled(a, b, c)
  return rest > 0 and quotient + 1 or quotient
end

-- Decides a request by what its limits permit: the permits to take.
local function granted(refusal, wait, left, longest, permits)
  refused = refusal ~= 0 or wait > longest
  some = 0
  if refused then
    return 0
  end
  if needed then
    -- all permits that present requests need; for future requests an eighth of the rest, which leaves permits to others
    some = left < needed and left or needed
    if some < permits then
      some = math.max(some, math.min(permits, floor(left / 8)))
    end
    return some
  end
  return dry and 0 or permits
end
