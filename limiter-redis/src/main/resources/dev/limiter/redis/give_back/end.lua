
for _, key in ipairs(KEYS) do
  local kind, mark, returned
  kind, mark, returned, at = unpack('>Bdd', ARGV[1], at)
  kinds[kind](key, mark, returned)
end
return ''
