-- An algorithm of the application's own, by its script: RedisStrategy.java says what the parts of it are given, and set.
--
-- State: when it is fresh again; how many permits count until then, by which another algorithm takes it over; then the state
-- of the script.
local terms, capacity, state, others, fields = {}, 0, nil, 0, 0
capacity, fields, at = unpack('>dB', argument, at)
for i = 1, fields do
  terms[i], at = unpack('>d', argument, at)
end
local reset = 0
local stored, other = read(key, NUMBER)
if other then
  local uses
  key, others, uses, longest, joined = apart(key, NUMBER, 0, 0)
  longest = 2 ^ 53
  stored = not uses and read(key, NUMBER)
  uses, others = since(0, uses or others or {})
  renewed = others > 0 and not dry
end
if stored then
  local _, ends = unpack('>BI7I7', stored)
  -- a text of others begins like a state, which ends within a century
  if ends - now > 2 ^ 52 then
    error('not a state of a limit')
  end
  state = stored:sub(16)
end

-- own
local function check(name, number, least)
  if not (type(number) == 'number' and number >= least and number < 2 ^ 53) then
    error('the script set ' .. name .. ' to ' .. tostring(number))
  end
end
check('left', left, 0)
check('refusal', refusal, -1)
check('reset', reset, 0)
local asked_reset, asked_refusal = reset, refusal
