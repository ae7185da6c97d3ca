-- Permits are to be taken from the limit in that key, if `asked` are there, by somebody who would wait for so long. Returns
-- until when it refuses; for how long the request waits then; a function that takes so many permits for a turn in so long,
-- or none, and answers the four numbers (or nothing: the answer is already the first that is returned); how many are left;
-- and the longest that the request may have to wait because of other limits.
kinds[NUMBER] = function(key, permits, asked, patience)
  local refusal, wait, left, longest = 0, 0, 0, 2 ^ 53

  -- ask

  return refusal, wait, function(count, delay)
    local reset, mark = 0, 0

    -- take

    return left, refusal, reset, mark
  end, left, longest
end
