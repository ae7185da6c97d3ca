-- Returns the permits of a decision that still count: never above the capacity, never into a later window.
--
-- KEYS     the state of each limit
-- ARGV[1]  packed: the time in microseconds, negative for the server's; the time of the decision by the same clock; then,
--          for each key, the number of the algorithm, the permits, the mark and the count of returned permits from the
--          reply of the decision, and the arguments of the algorithm
taken_at, at = unpack('>d', argument, at)
for _, key in ipairs(KEYS) do
  local reset = call('GET', key .. '~reset')
  if reset and taken_at <= unpack('>I7', reset) then
    -- the permits were taken from states that a reset has deleted
    return ''
  end
end
for _, key in ipairs(KEYS) do
  local kind, permits, mark, returned
  kind, permits, mark, returned, at = unpack('>Bddd', argument, at)
  algorithms[kind](key, permits, mark, returned)
end
return ''
