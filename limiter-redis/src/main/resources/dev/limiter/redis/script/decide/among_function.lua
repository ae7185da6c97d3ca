-- Asks a limit that is not the last. Returns until when it refuses; for how long the request waits then; a function that
-- takes the permits for a turn in so long, or another count of them, and answers the five numbers (or nothing: the first
-- that is returned is already the answer to the request); how many are left; and the longest that the request may have to
-- wait because of other limits.
among[NUMBER] = function(key, permits, kept, patience)
  local asked = mode == 2 and 1 or permits > 0 and permits + kept or 0
  local refusal, wait, left, longest, renewed, joined, returned = 0, 0, 0, 2 ^ 53, false, nil, 0

  -- ask

  return refusal, wait, function(count, delay)
    local reset, mark = 0, 0
    count = count or permits

    -- take

    if joined and (count > 0 or renewed) then
      joined(count)
    end
    return left, refusal, reset, mark, returned
  end, left, longest
end
