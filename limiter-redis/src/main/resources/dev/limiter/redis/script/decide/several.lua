-- Several requests, or one with several limits. Each request is decided on its own: the failure of one, by a broken key or
-- a full memory, does not affect the others.

-- The reply to the request whose keys follow the first `before` keys.
local function decide(before)
  local kind, permits, kept, patience
  local finish = limits > 1 and {}
  local refused, delay, latest, there = false, 0, 2 ^ 53, 2 ^ 53
  for i = 1, limits - 1 do
    kind, permits, kept, patience, at = unpack('>Bddd', argument, at)
    local refusal, wait, finished, left, longest = among[kind](KEYS[before + i], permits, kept, patience)
    if not finished then
      return refusal
    end
    finish[i] = finished
    refused = refused or refusal ~= 0
    if wait > delay then
      delay = wait
    end
    if longest < latest then
      latest = longest
    end
    if left < there then
      there = left
    end
  end
  local some, left, refusal, reset, mark, returned
  kind, permits, kept, patience, at = unpack('>Bddd', argument, at)
  refused, delay, some, left, refusal, reset, mark, returned =
    last[kind](KEYS[before + limits], permits, kept, patience, refused, delay, latest, there)
  if not delay then
    return refused
  end
  local time, waits = refused and -1 - now or now, refused and 0 or delay
  if limits == 1 then
    return pack('>i4dddddddd', 64, time, waits, some, left, refusal, reset, mark, returned)
  end
  local count = (refused or dry) and 0 or mode == 2 and some or nil
  local answer = {pack('>i4ddd', 24 + 40 * limits, time, waits, some)}
  for i = 1, limits - 1 do
    answer[i + 1] = pack('>ddddd', finish[i](count, delay))
  end
  answer[limits + 1] = pack('>ddddd', left, refusal, reset, mark, returned)
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
