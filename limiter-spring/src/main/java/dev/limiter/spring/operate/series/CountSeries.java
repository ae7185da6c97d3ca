package dev.limiter.spring.operate.series;

import java.util.LinkedHashMap;
import java.util.Map;

/** The counts of the last samples. Not thread-safe. */
final class CountSeries {

    private final SecondsRing permitted = new SecondsRing();
    private final SecondsRing refused = new SecondsRing();
    private final SecondsRing waiting = new SecondsRing();

    void set(long sample, Count count) {
        permitted.set(sample, count.permitted());
        refused.set(sample, count.refused());
        waiting.set(sample, count.waiting());
    }

    long decisions() {
        return permitted.sum() + refused.sum();
    }

    /** The samples {@code from} to {@code to}, both included. */
    Map<String, Object> range(long from, long to) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("permitted", permitted.range(from, to));
        body.put("refused", refused.range(from, to));
        body.put("waiting", waiting.range(from, to));
        return body;
    }
}
