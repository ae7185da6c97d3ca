-- Decides a request at its last limit, given the results of the other limits, of which `delay` and `latest` are those of its
-- rule. Returns whether the request is refused, the permits taken in mode 2, and the six numbers of the reply; or only the
-- reply to the request.
last[NUMBER] = function(key, permits, kept, patience, refused, delay, latest, there)

-- last

return refused, some, left, refusal, reset, mark, returned, delay
end
