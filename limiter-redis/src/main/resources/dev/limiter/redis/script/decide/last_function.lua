-- Decides a request at its last limit, given the results of the other limits. Returns whether the request is refused, its
-- wait, the permits taken in mode 2, and the five numbers of the reply; or only the reply to the request.
last[NUMBER] = function(key, permits, kept, patience, refused, delay, latest, there)

-- last

return refused, delay, some, left, refusal, reset, mark, returned
end
