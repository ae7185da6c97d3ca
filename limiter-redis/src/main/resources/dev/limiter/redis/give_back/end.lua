
for _, key in ipairs(KEYS) do
  local kind, mark
  kind, mark, at = unpack('>Bd', ARGV[1], at)
  kinds[kind](key, mark)
end
return ''
