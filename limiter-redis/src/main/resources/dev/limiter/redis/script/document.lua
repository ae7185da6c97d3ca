-- Reads a document if its revision has changed, or replaces it if not (compare-and-set).
--
-- KEYS[1]  the document: revision, newline, text
-- ARGV[1]  the expected revision; 0 if there is no document
-- ARGV[2]  the new document; absent for a read
-- reply    'document', newline and the document if its revision is another one; 'replaced' after a write; else an empty
--          string
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
