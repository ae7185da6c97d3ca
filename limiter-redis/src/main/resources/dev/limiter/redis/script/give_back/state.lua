-- Returns the state of a key if it is a string of this algorithm.
local function read(key, kind)
  local stored = redis.pcall('GET', key)
  if stored and stored.err and not stored.err:find('WRONGTYPE', 1, true) then
    error('GET: ' .. stored.err)
  end
  return stored and not stored.err and stored:byte(1) == kind and stored
end
