package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.rule.HeaderStyle;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Collects the states of limits, and writes them as header fields in the style of each rule. Not thread-safe. */
public final class RateLimitHeaders {

    private static final String POLICY = "RateLimit-Policy";
    private static final String AVAILABLE = "RateLimit";
    private static final String PARTITION = "RateLimit-Partition";
    private static final String LIMIT = "X-RateLimit-Limit";
    private static final String REMAINING = "X-RateLimit-Remaining";
    private static final String RESET = "X-RateLimit-Reset";

    /** Rejected before permitted, then the longest retry after first, then the least remaining. */
    private static final Comparator<LimitStatus> TIGHTEST = Comparator.comparing(LimitStatus::permitted)
            .thenComparing(status -> status.permitted() ? 0 : -FieldMembers.secondsToReset(status))
            .thenComparing(LimitStatus::remaining);

    private final Duration delay;
    private List<PolicyText> texts = List.of();
    private @Nullable String policies;
    private final StringBuilder available = new StringBuilder(64);
    private @Nullable StringBuilder partitions;
    private @Nullable LimitStatus tightest;
    private long tightestLimit;

    public RateLimitHeaders() {
        this(Duration.ZERO);
    }

    /** {@code delay}: added to the retry after that clients see, 0 or more. */
    public RateLimitHeaders(Duration delay) {
        this.delay = delay;
    }

    /** Adds limits of an unknown rule and charge. */
    public void add(HeaderStyle style, PolicyText text, List<LimitStatus> statuses) {
        add(style, null, text, null, statuses);
    }

    /**
     * Adds the limits of a rule. {@code text}: the text of the charged limits; {@code charge}: the charge of the
     * request.
     */
    public void add(RateLimitRule rule, PolicyText text, Charge charge, List<LimitStatus> statuses) {
        add(rule.headers(), rule, text, charge, statuses);
    }

    private void add(
            HeaderStyle style,
            @Nullable RateLimitRule rule,
            PolicyText added,
            @Nullable Charge charge,
            List<LimitStatus> exact) {
        PolicyText text = distinct(added);
        List<LimitStatus> statuses = delay.isZero() ? exact : delayed(exact);
        FieldNames names = FieldNames.of(style);
        if (names != null) {
            addPolicies(text);
            text.appendAvailable(available, names, statuses, charge);
            if (names.partitioned && rule != null) {
                addPartition(rule, text);
            }
        }
        if (style.legacy()) {
            addLegacy(text, statuses);
        }
    }

    /**
     * Adds the limits of a rule that was decided alone and permitted. For a single limit, it avoids creating the
     * decision's list of limits.
     */
    public void add(RateLimitRule rule, PolicyText text, Charge charge, Decision decision) {
        HeaderStyle style = rule.headers();
        if (!text.hasOneLimit() || style.legacy()) {
            add(style, rule, text, charge, decision.limits());
            return;
        }
        FieldNames names = FieldNames.of(style);
        if (names != null) {
            addPolicies(text);
            text.appendAvailable(available, names, decision, charge);
            if (names.partitioned) {
                addPartition(rule, text);
            }
        }
    }

    /** Makes names distinct. Two methods may have the same name; the later one gets a number. */
    private PolicyText distinct(PolicyText text) {
        PolicyText distinct = text;
        for (int number = 2; texts.stream().anyMatch(distinct::sharesNameWith); number++) {
            distinct = text.with("-" + number);
        }
        texts = texts.isEmpty()
                ? List.of(distinct)
                : Stream.concat(texts.stream(), Stream.of(distinct)).toList();
        return distinct;
    }

    /** Returns the name of a policy in these fields; the last one if there are several. */
    public String nameOf(String policy) {
        String name = PolicyText.nameOf(policy);
        for (PolicyText text : texts) {
            String known = text.nameIfHere(policy);
            name = known == null ? name : known;
        }
        return name;
    }

    private List<LimitStatus> delayed(List<LimitStatus> exact) {
        return exact.stream().map(this::delayed).toList();
    }

    private LimitStatus delayed(LimitStatus exact) {
        return new LimitStatus(
                exact.policy(),
                exact.limit(),
                exact.permitted(),
                exact.remaining(),
                exact.retryAfter().map(delay::plus),
                exact.resetAfter());
    }

    private void addPolicies(PolicyText text) {
        policies = policies == null ? text.policies() : policies + ", " + text.policies();
    }

    private void addPartition(RateLimitRule rule, PolicyText text) {
        partitions = partitions == null ? new StringBuilder(64) : partitions;
        text.appendPartition(partitions, rule.keyKinds());
    }

    private void addLegacy(PolicyText text, List<LimitStatus> statuses) {
        for (int i = 0; i < statuses.size(); i++) {
            LimitStatus status = statuses.get(i);
            if (tightest == null || TIGHTEST.compare(status, tightest) < 0) {
                tightest = status;
                tightestLimit = text.limit(i).limit();
            }
        }
    }

    /** Writes the fields. Replaces the fields of an earlier decision about the same request. */
    public void writeTo(FieldSink fields) {
        if (policies != null) {
            fields.set(POLICY, policies);
            fields.set(AVAILABLE, available.toString());
        }
        if (partitions != null) {
            fields.set(PARTITION, partitions.toString());
        }
        if (tightest != null) {
            fields.set(LIMIT, Long.toString(tightestLimit));
            fields.set(REMAINING, Long.toString(tightest.remaining()));
            fields.set(RESET, Long.toString(FieldMembers.secondsToReset(tightest)));
        }
    }
}
