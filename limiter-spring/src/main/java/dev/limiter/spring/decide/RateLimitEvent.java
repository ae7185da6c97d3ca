package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.key.KeyHash;
import java.security.Principal;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The decision of one rule. Immutable, thread-safe; keeps nothing of the request, so it may outlive it. */
public final class RateLimitEvent {

    private final String rule;
    private final String resource;
    private final Outcome outcome;
    private final @Nullable Decision decision;
    private final Duration waited;
    private final @Nullable Charge charge;
    private final @Nullable String tier;
    private final @Nullable String address;
    private final @Nullable String principal;
    private final @Nullable KeyHash hash;

    /** Creates an event without a key, for tests of a listener. */
    public RateLimitEvent(String rule, String resource, Outcome outcome, @Nullable Decision decision, Duration waited) {
        this.rule = rule;
        this.resource = resource;
        this.outcome = outcome;
        this.decision = decision;
        this.waited = waited;
        this.charge = null;
        this.tier = null;
        this.address = null;
        this.principal = null;
        this.hash = null;
    }

    /** {@code contexts}: null for what an operator does; {@code charge}: null if the limits were not checked. */
    RateLimitEvent(
            RateLimitRule rule,
            @Nullable RuleContexts contexts,
            Outcome outcome,
            @Nullable Charge charge,
            @Nullable Decision decision,
            Duration waited,
            KeyHash hash) {
        this.rule = rule.name();
        this.resource = contexts == null ? "" : contexts.resource(rule);
        this.outcome = outcome;
        this.decision = decision;
        this.waited = waited;
        this.charge = charge;
        this.tier = charge == null ? null : rule.tierOf(charge.rule());
        RequestView request = contexts == null ? null : contexts.of(rule).request();
        this.address = sender(request, RequestView::clientAddress);
        this.principal = sender(request, RateLimitEvent::user);
        this.hash = hash;
    }

    private static @Nullable String user(RequestView request) {
        Principal user = request.principal();
        return user == null ? null : user.getName();
    }

    /** Null also if the request fails to tell: no listener misses a decision for that. */
    private static @Nullable String sender(
            @Nullable RequestView request, Function<RequestView, @Nullable String> value) {
        try {
            return request == null ? null : value.apply(request);
        } catch (RuntimeException failure) {
            return null;
        }
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
     * The decision on this rule, with the standing of its limits; null if the rule skipped the request, or would have
     * denied the address.
     */
    public @Nullable Decision decision() {
        return decision;
    }

    /** How long the request waited for this rule before it was decided; zero if it did not wait. */
    public Duration waited() {
        return waited;
    }

    /**
     * The key, as storages have it; null if the limits were not checked: the rule skipped the request, or denied the
     * address. May contain what clients keep secret, such as an API key: for people there is {@link #keyHash()}.
     */
    public @Nullable String key() {
        return charge == null ? null : charge.key();
    }

    /**
     * 16 hexadecimal digits that stand for the {@link #key()} in logs; null if there is none. The same in all instances
     * with the same {@code limiter.redis.key-secret}; without one, of this process alone.
     */
    public @Nullable String keyHash() {
        return charge == null || hash == null ? null : hash.of(charge.key());
    }

    /**
     * Where the request came from, as {@code key: ip} has it: an IPv4 address, or the network of an IPv6 address; null
     * for a call without a request, and for a ban by an operator.
     */
    public @Nullable String address() {
        return address;
    }

    /** The name of the logged-in user; null if there was none, or as for {@link #address()}. */
    public @Nullable String principal() {
        return principal;
    }

    /** The permits that the request asked for, of the limit of which it asked for most; 0 if there is no {@link #key}. */
    public long permits() {
        return charge == null ? 0 : charge.permits();
    }

    /** The name of the tier whose limits applied; null if they were the rule's own, or those of a resolver. */
    public @Nullable String tier() {
        return tier;
    }

    /** Without the key. */
    @Override
    public String toString() {
        return outcome.tag() + " by " + rule + " for " + resource;
    }
}
