
for _, key in ipairs(KEYS) do
  local kind, mark, returned
  kind, permits, mark, returned, at = unpack('>Bddd', ARGV[1], at)
  kinds[kind](key, mark, returned)
end
return ''
