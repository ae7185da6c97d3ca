-- Reads a document of which somebody knows a revision, or replaces that revision of it.
--
-- KEYS[1]  the document: its revision, the end of a line, its text
-- ARGV[1]  the revision that is known; 0 if none is
-- ARGV[2]  the document that is to follow it, or nothing
-- answers  'document', the end of a line and the document if it is another one, 'replaced' if it was replaced, or nothing
local type = redis.call('TYPE', KEYS[1])
type = type.ok or type
local document = '0\n'
if type == 'string' then
    document = redis.call('GET', KEYS[1])
elseif type ~= 'none' then
    document = type .. '\n' -- no document, but something that may be replaced by one
end
if document:match('^[^\n]*') ~= ARGV[1] then
    return 'document\n' .. document
end
if ARGV[2] then
    redis.call('SET', KEYS[1], ARGV[2])
    return 'replaced'
end
return ''
