-- Several requests, or one with several limits. Each request is decided on its own: the failure of one, by a broken key or
-- a full memory, does not affect the others.

-- The reply to the request whose keys follow the first `before` keys.
local function decide(before)
  local first, kind, permits, kept, patience
  -- for each limit the function that takes its permits, and its rule; for each rule its wait
  local finish, rules, delays = limits > 1 and {}, limits > 1 and {}, limits > 1 and {}
  local refused, rule, delay, latest, there = false, 0, 0, 2 ^ 53, 2 ^ 53
  for i = 1, limits - 1 do
    first, kind, permits, kept, patience, at = unpack('>BBddd', argument, at)
    if first == 1 then
      -- The limits of a rule and key have one turn. The wait for another one would keep their permits from other requests.
      rule, delay, latest = rule + 1, 0, 2 ^ 53
    end
    local refusal, wait, finished, left, longest = among[kind](KEYS[before + i], permits, kept, patience)
    if not finished then
      return refusal
    end
    if wait > delay then
      delay = wait
    end
    if longest < latest then
      latest = longest
    end
    if left < there then
      there = left
    end
    refused = refused or refusal ~= 0 or delay > latest
    finish[i], rules[i], delays[rule] = finished, rule, delay
  end
  local some, left, refusal, reset, mark, returned
  first, kind, permits, kept, patience, at = unpack('>BBddd', argument, at)
  if first == 1 then
    rule, delay, latest = rule + 1, 0, 2 ^ 53
  end
  refused, some, left, refusal, reset, mark, returned, delay =
    last[kind](KEYS[before + limits], permits, kept, patience, refused, delay, latest, there)
  if not delay then
    return refused
  end
  local time = refused and -1 - now or now
  if limits == 1 then
    return pack('>i4dddddddd', 64, time, some, left, refusal, reset, mark, returned, delay)
  end
  delays[rule] = delay
  local count = (refused or dry) and 0 or mode == 2 and some or nil
  local answer = {pack('>i4dd', 16 + 48 * limits, time, some)}
  for i = 1, limits - 1 do
    answer[i + 1] = pack('>dddddd', finish[i](count, delays[rules[i]]))
  end
  answer[limits + 1] = pack('>dddddd', left, refusal, reset, mark, returned, delay)
  return table.concat(answer)
end

local answers, before = {}, 0

local function attempt()
  return decide(before)
end

-- The reason of a failure, with its line. Newer servers leave the line out of the error of a command: `error` adds that of
-- the calling function, four levels up.
local function reason(failure)
  if type(failure) == 'table' then
    local _, line = pcall(error, '', 4)
    return tostring(line) .. failure.err
  end
  return tostring(failure)
end

for i, asked in ipairs(ARGV) do
  if i > 1 then
    local passed
    argument = asked
    passed, mode, needed, limits, at = unpack('>dBdd', argument)
    dry = mode == 1
    now = passed < 0 and now or passed
  end
  local decided, answer = xpcall(attempt, reason)
  if decided and type(answer) ~= 'string' then
    decided, answer = false, 'a script returned'
  end
  if not decided then
    answer = pack('>i4', -#answer) .. answer
  end
  answers[i] = answer
  before = before + limits
end
return table.concat(answers)
