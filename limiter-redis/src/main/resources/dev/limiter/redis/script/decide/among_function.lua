-- Evaluates a limit that is not the last one of its request. Returns the time until the limit permits; the wait of the
-- request for its turn; a function that takes `count` permits (default `permits`) for a turn after `delay`, and returns the
-- six numbers of the reply; the permits left; and the longest wait that other limits of its rule may impose. Without the
-- function, the first return value is the reply to the request.
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
    return left, refusal, reset, mark, returned, delay
  end, left, longest
end
