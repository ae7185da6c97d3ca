-- What all algorithms use. A script consists of this file, `state.lua` and the files of the algorithms that it needs from
-- `decide/` or `give_back/`, and `decide.lua` or `give_back.lua`.
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
-- A server creates all functions of a script for each call. Each costs it 500 instructions, and each local variable of this
-- level that a function uses as many.
--
-- A call looks at no more than about 1,000 entries and holds of all its keys, however many are stored under them: the server
-- is blocked in the meantime.
local spread = unpack
local pack, unpack, call = struct.pack, struct.unpack, redis.call
local algorithms = {}

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
-- What `granted` has found: false for a rejection, otherwise the permits of a request for as many as there are, or 0.
local grant = false
-- When the permits were taken that are returned.
local taken_at

-- Decides a request by what its limits permit: the permits to take.
local function granted(rejection, wait, left, longest, permits)
  if rejection ~= 0 or wait > longest then
    grant = false
    return 0
  end
  if not needed then
    grant = 0
    return dry and 0 or permits
  end
  -- all permits that present requests need; for future requests an eighth of the rest, which leaves permits to others
  grant = left < needed and left or needed
  if grant < permits then
    grant = math.max(grant, math.min(permits, math.floor(left / 8)))
  end
  return grant
end
