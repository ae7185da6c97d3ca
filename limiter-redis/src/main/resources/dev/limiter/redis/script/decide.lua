-- Decides requests with all keys on this node. A request takes permits of all its limits or of none. Requests are
-- independent: if one fails because of a broken key or a full memory, the others are still decided.
--
-- KEYS     the state of each limit, request by request
-- ARGV     for each request, packed: the time in microseconds, negative for the server's; the mode: take the permits (0),
--          peek (1), or take up to that many permits (2); the permits needed at once in mode 2; the number of limits; then,
--          for each limit, whether it is the first one of its rule and key (1), the number of the algorithm, the permits, the
--          permits that must be left, the longest wait of the request, and the arguments of the algorithm
-- reply    for each request, packed: the length in bytes; the time, or -1 - time for a rejection; the permits taken in mode 2;
--          then six numbers for each limit: the permits left, or those used beyond it, negated; the time until it permits
--          this request or, after a charge, the next one (0: now, -1: unknown); the time until it is fresh; the mark and the
--          count of returned permits, arguments of give_back; the wait of a granted request for this rule and key. If the
--          calendar boundaries of the arguments do not cover the time, the reply is only the length and the time. The reply to
--          a failed request is its length, negated, and the reason

-- Returns the reply to a request with one limit; its arguments begin at `at`.
local function reply_to_one(key)
  local _, kind, permits, kept, patience
  _, kind, permits, kept, patience, at = unpack('>BBddd', argument, at)
  local asked = needed and 1 or permits > 0 and permits + kept or 0
  local left, rejection, reset, mark, returned, wait = algorithms[kind](key, asked, permits, patience)
  if not rejection then
    return left
  end
  return pack('>i4dddddddd', 64, grant and now or -1 - now, grant or 0, left, rejection, reset, mark, returned, wait)
end

local mode, least, limits
mode, least, limits, at = unpack('>Bdd', argument, at)
dry, needed = mode == 1, mode == 2 and least
if #ARGV == 1 and limits == 1 then
  -- Most calls end here. A server creates functions for each call: those below are for calls with several limits or requests.
  return reply_to_one(KEYS[1])
end

local before = 0

-- Returns the reply to the request with arguments from `at` on, and with keys after the first `before` keys.
local function reply()
  if limits == 1 then
    return reply_to_one(KEYS[before + 1])
  end
  -- First each limit is checked without taking permits; then all take them, or none does.
  local start, delays, rule, latest = at, {}, 0, 2 ^ 53
  local rejections, there, most = 0, 2 ^ 53, 0
  for i = 1, limits do
    local first, kind, permits, kept, patience
    first, kind, permits, kept, patience, at = unpack('>BBddd', argument, at)
    if first == 1 then
      -- The limits of a rule and key share one turn. A wait for other limits would withhold their permits from other requests.
      rule, latest = rule + 1, 2 ^ 53
      delays[rule] = 0
    end
    local asked = needed and 1 or permits > 0 and permits + kept or 0
    local left, rejection, _, _, _, wait, longest = algorithms[kind](KEYS[before + i], asked, permits, patience, 0, 0)
    if not rejection then
      return left
    end
    delays[rule], latest = math.max(delays[rule], wait), math.min(latest, longest)
    there, most = math.min(there, left), permits
    if rejection ~= 0 or delays[rule] > latest then
      rejections = 1
    end
  end
  granted(rejections, 0, there, 0, most)
  local answer = {pack('>i4dd', 16 + 48 * limits, grant and now or -1 - now, grant or 0)}
  at, rule = start, 0
  for i = 1, limits do
    local first, kind, permits, kept, patience
    first, kind, permits, kept, patience, at = unpack('>BBddd', argument, at)
    rule = rule + first
    local asked = needed and 1 or permits > 0 and permits + kept or 0
    local count = (dry or not grant) and 0 or needed and grant or permits
    local left, rejection, reset, mark, returned =
      algorithms[kind](KEYS[before + i], asked, permits, patience, count, delays[rule])
    answer[i + 1] = pack('>dddddd', left, rejection, reset, mark, returned, delays[rule])
  end
  return table.concat(answer)
end

-- Returns the reason of a failure, with its line. Newer servers omit the line from errors of commands: `error` adds that of
-- the calling function, four levels up.
local function reason(failure)
  if type(failure) == 'table' then
    local _, line = pcall(error, '', 4)
    return tostring(line) .. failure.err
  end
  return tostring(failure)
end

if #ARGV == 1 then
  return reply()
end
local answers = {}
for i = 1, #ARGV do
  local passed
  argument = ARGV[i]
  passed, mode, least, limits, at = unpack('>dBdd', argument)
  if passed >= 0 then
    now = passed
  end
  dry, needed = mode == 1, mode == 2 and least
  local decided, answer = xpcall(reply, reason)
  answers[i] = decided and answer or pack('>i4', -#answer) .. answer
  before = before + limits
end
return table.concat(answers)
