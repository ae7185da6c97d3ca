-- Deletes the states of a key. A mark next to each state stops refunds of permits that were taken before, for as long as
-- they would have counted: see give_back.lua.
--
-- KEYS     the state of each limit
-- ARGV[1]  packed: the time in microseconds, negative for the server's
local now = struct.unpack('>d', ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
for _, key in ipairs(KEYS) do
  local lasts = redis.call('PTTL', key)
  -- the deletion comes first: with a full memory it makes space for the write
  redis.call('UNLINK', key)
  if lasts > 0 then
    local mark = key .. '~reset'
    lasts = math.max(lasts, redis.call('PTTL', mark))
    redis.call('SET', mark, struct.pack('>I7', now), 'PX', lasts)
  end
end
return ''
