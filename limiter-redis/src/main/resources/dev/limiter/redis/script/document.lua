-- Reads a document of which somebody knows a version, or replaces that version of it.
--
-- KEYS[1]  the document: its version, the end of a line, its text
-- ARGV[1]  the version that is known; 0 if none is
-- ARGV[2]  the document that is to follow it, or nothing
-- answers  the document if it is another one, 'replaced' if it was replaced, or nothing
local document = redis.call('GET', KEYS[1]) or '0\n'
if document:match('^%d+') ~= ARGV[1] then
    return document
end
if ARGV[2] then
    redis.call('SET', KEYS[1], ARGV[2])
    return 'replaced'
end
return ''
