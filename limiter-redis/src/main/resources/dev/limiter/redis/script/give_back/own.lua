
-- By the application's own script.
kinds[NUMBER] = function(key, mark)
  local terms, capacity, fields, state, left, reset = {}, 0, 0, nil, nil, nil
  capacity, fields, at = unpack('>dB', ARGV[1], at)
  for i = 1, fields do
    terms[i], at = unpack('>d', ARGV[1], at)
  end
  key = place(key, NUMBER)
  local stored = read(key, NUMBER)
  if not stored then
    return
  end
  state = stored:sub(16)

-- own

  if not left then
    return
  end
  if not (left >= 0 and reset > -2 ^ 53 and reset < 2 ^ 53) then
    error('the script set left to ' .. tostring(left) .. ' and reset to ' .. tostring(reset))
  end
  if reset > 0 then
    stored = pack('>BI7I7', NUMBER, now + reset, max(capacity - left, 0)) .. state
    call('SET', key, stored, 'KEEPTTL')
  else
    call('DEL', key)
  end
end
