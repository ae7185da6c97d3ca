-- Adds a sample of one instance, and reads those of all instances since a time.
--
-- KEYS[1]  sorted set: samples by the time of the server when they were added, in microseconds
-- ARGV[1]  packed: the lifetime of a sample, the first time to read, and the most samples to read
-- ARGV[2]  the sample
-- reply    packed: the time to read from next, which may repeat samples; then each sample after its length
local lifetime, from, most = struct.unpack('>ddd', ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lifetime)
redis.call('PEXPIRE', KEYS[1], math.ceil(lifetime / 1000))
-- a first reading, or a server whose clock is behind that of the former one
if from > now then
  from = now
end
local found = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', from), '+inf', 'WITHSCORES', 'LIMIT', 0, most)
local reply, last = {}, from
for i = 1, #found, 2 do
  if #found[i] <= 65536 then
    reply[#reply + 1] = struct.pack('>I4', #found[i]) .. found[i]
  end
  last = math.min(tonumber(found[i + 1]), now)
end
return struct.pack('>d', last) .. table.concat(reply)
