package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.key.KeyHash;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The decision of one rule. Immutable, thread-safe; parts that take time are worked out when they are asked for. */
public final class RateLimitEvent {

    private final String rule;
    private final String resource;
    private final Outcome outcome;
    private final @Nullable Decision decision;
    private final Duration waited;
    private final Caller caller;
    private final @Nullable Subject subject;

    /**
     * The rule, the charge and the key of a decision.
     *
     * @param part the standing of its limits; null if it is unknown, or if it is {@code verdict}'s at {@code index}
     */
    record Subject(
            RateLimitRule rule,
            Charge charge,
            @Nullable Decision part,
            @Nullable Verdict verdict,
            int index,
            KeyHash hash) {}

    /** The sender of a request, for people; copied from the request, because events outlive it. Immutable. */
    record Caller(@Nullable String address, @Nullable String principal) {

        static final Caller UNKNOWN = new Caller(null, null);

        /** Unknown where there is no request, or where it cannot be asked: no decision fails for that. */
        static Caller of(RateLimitContext context) {
            RequestView request = context.request();
            if (request == null) {
                return UNKNOWN;
            }
            try {
                Principal principal = request.principal();
                return new Caller(request.clientAddress(), principal == null ? null : principal.getName());
            } catch (RuntimeException failure) {
                return UNKNOWN;
            }
        }
    }

    /** One without a key, for tests of a listener. */
    public RateLimitEvent(String rule, String resource, Outcome outcome, @Nullable Decision decision, Duration waited) {
        this(rule, resource, outcome, decision, waited, Caller.UNKNOWN, null);
    }

    RateLimitEvent(
            String rule,
            String resource,
            Outcome outcome,
            @Nullable Decision decision,
            Duration waited,
            Caller caller,
            @Nullable Subject subject) {
        this.rule = rule;
        this.resource = resource;
        this.outcome = outcome;
        this.decision = decision;
        this.waited = waited;
        this.caller = caller;
        this.subject = subject;
    }

    /** The name of the rule. */
    public String rule() {
        return rule;
    }

    /** The resource: method and pattern of an endpoint, or {@code Class.method}; empty for a ban by an operator. */
    public String resource() {
        return resource;
    }

    public Outcome outcome() {
        return outcome;
    }

    /**
     * The decision over all rules that were decided together; null if the rule was skipped, or would have denied the
     * address.
     */
    public @Nullable Decision decision() {
        return decision;
    }

    /** How long the request waited for this rule before it was decided; zero if it did not wait. */
    public Duration waited() {
        return waited;
    }

    /**
     * The key, as storages have it; null if the rule was not asked: it skipped the request, or denied the address. May
     * hold what clients keep secret, such as an API key: for people there is {@link #keyHash()}.
     */
    public @Nullable String key() {
        return subject == null ? null : subject.charge().key();
    }

    /**
     * 16 hexadecimal digits that stand for the {@link #key()} in logs; null if there is none. The same in all instances
     * with the same {@code limiter.redis.key-secret}; without one, of this process alone.
     */
    public @Nullable String keyHash() {
        return subject == null ? null : subject.hash().of(subject.charge().key());
    }

    /**
     * Where the request came from, as {@code key: ip} has it: an IPv4 address, or the network of an IPv6 address; null
     * for a call without a request, and for a ban by an operator.
     */
    public @Nullable String address() {
        return caller.address();
    }

    /** The name of the logged-in user; null if there was none, or as for {@link #address()}. */
    public @Nullable String principal() {
        return caller.principal();
    }

    /** The permits that the request asked for, of the limit of which it asked for most; 0 if the rule was not asked. */
    public long permits() {
        return subject == null ? 0 : subject.charge().permits();
    }

    /** The name of the tier whose limits applied; null if they were the rule's own, or those of a resolver. */
    public @Nullable String tier() {
        return subject == null ? null : subject.rule.tierOf(subject.charge.rule());
    }

    /** The decision on this rule, as far as it is known apart from the others; null if the rule was not asked. */
    public @Nullable Decision part() {
        if (subject == null || subject.part() != null) {
            return subject == null ? null : subject.part();
        }
        return subject.verdict() == null ? null : subject.verdict().part(subject.index());
    }

    /** The standing of this rule's limits; empty if it was not asked, or it is unknown. Limits that refused say so. */
    public List<LimitStatus> limits() {
        if (subject == null) {
            return List.of();
        }
        if (subject.verdict != null) {
            return subject.verdict.statuses(subject.index);
        }
        return subject.part == null ? List.of() : Verdict.limits(subject.part);
    }

    /** Without the key. */
    @Override
    public String toString() {
        return outcome.tag() + " by " + rule + " for " + resource;
    }
}
