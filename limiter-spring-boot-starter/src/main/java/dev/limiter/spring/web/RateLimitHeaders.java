package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.spring.rule.HeaderStyle;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    private @Nullable String policies;
    private @Nullable String remaining;
    private @Nullable LimitStatus tightest;

    /** Limits of which nothing is known but where they stand. */
    void add(HeaderStyle style, List<LimitStatus> statuses) {
        if (style.ietf()) {
            addIetf(RateLimitFields.policies(statuses), RateLimitFields.remaining(statuses));
        }
        addLegacy(style, statuses);
    }

    /** The limits of a rule; {@code text}: that of the rule. */
    void add(HeaderStyle style, PolicyText text, List<LimitStatus> statuses) {
        if (style.ietf()) {
            addIetf(text.policies(), text.remaining(statuses));
        }
        addLegacy(style, statuses);
    }

    /** The only limit of a rule, as it was decided. */
    void add(HeaderStyle style, PolicyText text, Decision decision) {
        if (style.legacy()) {
            add(style, text, decision.limits());
        } else if (style.ietf()) {
            addIetf(text.policies(), text.remaining(decision));
        }
    }

    private void addIetf(String policies, String remaining) {
        this.policies = this.policies == null ? policies : this.policies + ", " + policies;
        this.remaining = this.remaining == null ? remaining : this.remaining + ", " + remaining;
    }

    private void addLegacy(HeaderStyle style, List<LimitStatus> statuses) {
        if (style.legacy()) {
            for (LimitStatus status : statuses) {
                tightest = tightest == null || TIGHTEST.compare(status, tightest) < 0 ? status : tightest;
            }
        }
    }

    /** Replaces what an earlier decision about the same request wrote; nothing happens once the answer is under way. */
    void writeTo(HttpServletResponse response) {
        if (policies != null && remaining != null) {
            response.setHeader("RateLimit-Policy", policies);
            response.setHeader("RateLimit", remaining);
            CrossOriginFields.expose(response, IETF);
        }
        if (tightest != null) {
            response.setHeader(
                    "X-RateLimit-Limit", Long.toString(tightest.limit().limit()));
            response.setHeader("X-RateLimit-Remaining", Long.toString(tightest.remaining()));
            response.setHeader("X-RateLimit-Reset", Long.toString(RateLimitFields.secondsToMore(tightest)));
            CrossOriginFields.expose(response, LEGACY);
        }
    }
}
