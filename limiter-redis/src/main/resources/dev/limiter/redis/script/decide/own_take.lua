
reset = asked_reset
if count > 0 or renewed then
-- own
  if count == 0 then
    refusal = asked_refusal
  end
  check('left', left, 0)
  check('refusal', refusal, -1)
  check('reset', reset, count > 0 and 1 or 0)
  check('mark', mark, -2 ^ 53)
  if reset > 0 then
    local stored = pack('>BI7I7', NUMBER, now + reset, math.max(capacity - left, 0)) .. state
    call('SET', key, stored, 'PX', ceil(reset / 1000) + grace)
  else
    call('DEL', key)
  end
end
