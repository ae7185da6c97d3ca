package dev.limiter.spring.web;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.rule.HeaderStyle;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects where limits stand, each in the style of its rule, and writes the fields. Not thread-safe. */
final class RateLimitHeaders {

    private static final String POLICY = "RateLimit-Policy";
    private static final String AVAILABLE = "RateLimit";
    private static final String PARTITION = "RateLimit-Partition";
    private static final String LEGACY = "X-RateLimit-";
    private static final String LIMIT = LEGACY + "Limit";
    private static final String REMAINING = LEGACY + "Remaining";
    private static final String RESET = LEGACY + "Reset";

    /** Whether a header field tells of limits. */
    static boolean isField(String name) {
        return name.startsWith(AVAILABLE) || name.startsWith(LEGACY);
    }

    /** Lets scripts of other origins read what was written before it was known that they may read the answer. */
    static void expose(HttpServletResponse response) {
        if (response.containsHeader(AVAILABLE)) {
            CrossOriginFields.expose(response, AVAILABLE, POLICY);
        }
        if (response.containsHeader(PARTITION)) {
            CrossOriginFields.expose(response, PARTITION);
        }
        if (response.containsHeader(LIMIT)) {
            CrossOriginFields.expose(response, LIMIT, REMAINING, RESET);
        }
    }

    /** Refused before permitted, the longer refused first, then the least remaining. */
    private static final Comparator<LimitStatus> TIGHTEST = Comparator.comparing(LimitStatus::permitted)
            .thenComparing(status -> status.permitted() ? 0 : -RateLimitFields.secondsToReset(status))
            .thenComparing(LimitStatus::remaining);

    private @Nullable String policies;
    private final StringBuilder available = new StringBuilder(64);
    private @Nullable StringBuilder partitions;
    private @Nullable LimitStatus tightest;

    /** Limits of which nothing is known but where they stand. */
    void add(HeaderStyle style, List<LimitStatus> statuses) {
        if (style.ietf() && !statuses.isEmpty()) {
            PolicyText text = PolicyText.of(statuses);
            addPolicies(text);
            text.appendAvailable(available, names(style), statuses, null);
        }
        addLegacy(style, statuses);
    }

    /** The limits of a rule. {@code text}: that of the limits that were asked; {@code charge}: what was asked of each. */
    void add(RateLimitRule rule, PolicyText text, Charge charge, List<LimitStatus> statuses) {
        HeaderStyle style = rule.headers();
        if (style.ietf()) {
            addPolicies(text);
            text.appendAvailable(available, names(style), statuses, charge);
            addPartition(rule, text);
        }
        addLegacy(style, statuses);
    }

    /** The only limit of a rule, as it was decided. */
    void add(RateLimitRule rule, PolicyText text, Charge charge, Decision decision) {
        HeaderStyle style = rule.headers();
        if (style.legacy()) {
            add(rule, text, charge, decision.limits());
        } else if (style.ietf()) {
            addPolicies(text);
            text.appendAvailable(available, names(style), decision, charge.permits(0));
            addPartition(rule, text);
        }
    }

    private static FieldNames names(HeaderStyle style) {
        return style == HeaderStyle.IETF_NEXT ? FieldNames.NEXT : FieldNames.DRAFT;
    }

    private void addPolicies(PolicyText text) {
        policies = policies == null ? text.policies() : policies + ", " + text.policies();
    }

    private void addPartition(RateLimitRule rule, PolicyText text) {
        if (rule.headers() == HeaderStyle.IETF_NEXT) {
            partitions = partitions == null ? new StringBuilder(64) : partitions;
            text.appendPartition(partitions, rule.keyKinds());
        }
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
        if (policies != null) {
            response.setHeader(POLICY, policies);
            response.setHeader(AVAILABLE, available.toString());
            CrossOriginFields.expose(response, AVAILABLE, POLICY);
        }
        if (partitions != null) {
            response.setHeader(PARTITION, partitions.toString());
            CrossOriginFields.expose(response, PARTITION);
        }
        if (tightest != null) {
            response.setHeader(LIMIT, Long.toString(tightest.limit().limit()));
            response.setHeader(REMAINING, Long.toString(tightest.remaining()));
            response.setHeader(RESET, Long.toString(RateLimitFields.secondsToReset(tightest)));
            CrossOriginFields.expose(response, LIMIT, REMAINING, RESET);
        }
    }
}
