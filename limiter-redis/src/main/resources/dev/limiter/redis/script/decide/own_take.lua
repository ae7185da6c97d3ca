
reset = asked_reset
if count > 0 or renewed then
-- own
  if count == 0 then
    refusal = asked_refusal
  end
  if reset > 0 then
    local stored = pack('>BI7I7', NUMBER, now + reset, math.max(capacity - left, 0)) .. state
    call('SET', key, stored, 'PX', ceil(reset / 1000) + grace)
  else
    call('DEL', key)
  end
end
