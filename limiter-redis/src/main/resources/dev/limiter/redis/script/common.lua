-- Code that all algorithms use. A script consists of this file, then `state.lua` and the files of the algorithms that it
-- needs from `decide/` or `give_back/`, then `decide.lua` or `give_back.lua`.
--
-- Each algorithm has a number, and registers a function under it in each of the two scripts:
--
-- decide     Takes the key of a limit, the permits that must be available, the permits to take, and the longest wait. Takes
--            the permits if the limit permits it. Two optional arguments take permits unconditionally: their number, and
--            the wait for the turn. Returns five numbers of the reply, then the wait for a turn, and the longest wait that
--            other limits of the rule may impose; or only the reply to the request.
-- give_back  Returns permits. Takes the key, their number, and the mark and the count of returned permits from the reply.
--
-- Numbers are integers, below 2^53 if they must be exact. Times are in microseconds. They are never converted to text, which
-- Lua truncates to 14 digits. A state that is a string begins with the number of its algorithm, followed by integers of
-- seven bytes.
--
-- A server creates all functions of a script for each call. Each function costs 500 instructions, and so does each top-level
-- local variable that a function uses.
--
-- A call reads at most about 1,000 entries and holds of all its keys, however many are stored, because it blocks the server.
local spread = unpack
local pack, unpack, call = struct.pack, struct.unpack, redis.call
local algorithms = {}

-- The packed arguments, and the position `at` of the next one.
local argument = ARGV[1]
local now, at = unpack('>d', argument)
-- The milliseconds by which a state outlives its use. Long if the client passes the time, so that the clock of the server
-- does not expire the state.
local grace = 3600000
if now < 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
  grace = 1000
end

-- Whether the request takes nothing; and, if it takes as many permits as are available, the permits that it needs.
local dry, needed = false, false
-- The result of `granted`: false for a rejection; otherwise the permits of a request for as many as available, or 0.
local grant = false
-- When the returned permits were taken.
local taken_at

-- Decides a request from the values of its limits, and returns the permits to take.
local function granted(rejection, wait, left, longest, permits)
  if rejection ~= 0 or wait > longest then
    grant = false
    return 0
  end
  if not needed then
    grant = 0
    return dry and 0 or permits
  end
  -- all permits that current requests need; for future requests an eighth of the rest, which leaves permits to others
  grant = left < needed and left or needed
  if grant < permits then
    grant = math.max(grant, math.min(permits, math.floor(left / 8)))
  end
  return grant
end
