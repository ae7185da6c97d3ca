package dev.limiter.spring.web;

import dev.limiter.LimitStatus;
import dev.limiter.spring.rule.HeaderStyle;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects where limits stand, each in the style of its rule, and writes the fields. Not thread-safe. */
final class RateLimitHeaders {

    private static final String[] IETF = {"RateLimit", "RateLimit-Policy"};
    private static final String[] LEGACY = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"};

    /** Lets scripts of other origins read what was written before it was known that they may read the answer. */
    static void expose(HttpServletResponse response) {
        if (response.containsHeader(IETF[0])) {
            CrossOriginFields.expose(response, IETF);
        }
        if (response.containsHeader(LEGACY[0])) {
            CrossOriginFields.expose(response, LEGACY);
        }
    }

    /** Refused before permitted, the longer refused first, then the least remaining. */
    private static final Comparator<LimitStatus> TIGHTEST = Comparator.comparing(LimitStatus::permitted)
            .thenComparing(status -> status.permitted() ? 0 : -RateLimitFields.secondsToMore(status))
            .thenComparing(LimitStatus::remaining);

    private final List<LimitStatus> ietf = new ArrayList<>();
    private final List<LimitStatus> legacy = new ArrayList<>();

    void add(HeaderStyle style, List<LimitStatus> statuses) {
        if (style.ietf()) {
            ietf.addAll(statuses);
        }
        if (style.legacy()) {
            legacy.addAll(statuses);
        }
    }

    /** Replaces what an earlier decision about the same request wrote; nothing happens once the answer is under way. */
    void writeTo(HttpServletResponse response) {
        if (!ietf.isEmpty()) {
            response.setHeader("RateLimit-Policy", RateLimitFields.policies(ietf));
            response.setHeader("RateLimit", RateLimitFields.remaining(ietf));
            CrossOriginFields.expose(response, IETF);
        }
        if (!legacy.isEmpty()) {
            LimitStatus tightest = legacy.stream().min(TIGHTEST).orElseThrow();
            response.setHeader(
                    "X-RateLimit-Limit", Long.toString(tightest.limit().limit()));
            response.setHeader("X-RateLimit-Remaining", Long.toString(tightest.remaining()));
            response.setHeader("X-RateLimit-Reset", Long.toString(RateLimitFields.secondsToMore(tightest)));
            CrossOriginFields.expose(response, LEGACY);
        }
    }
}
