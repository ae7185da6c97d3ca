-- Decides on the last limit of a request, which is often the only one: what the others said is known. Returns whether the
-- request is refused, for how long it waits, how many permits were taken if as many as there are, and the five numbers; or
-- only the answer to the request.
last[NUMBER] = function(key, permits, kept, patience, refused, delay, latest, there)

-- last

return refused, delay, some, left, refusal, reset, mark, returned
end
