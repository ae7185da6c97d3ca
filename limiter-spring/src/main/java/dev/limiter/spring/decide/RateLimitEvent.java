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

/** The decision of one rule. Immutable, thread-safe. It keeps no reference to the request, and may outlive it. */
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

    /** {@code contexts}: null for actions of operators; {@code charge}: null if the limits were not checked. */
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

    /** Returns a value of the request; null if reading it fails, so that listeners still receive the event. */
    private static @Nullable String sender(
            @Nullable RequestView request, Function<RequestView, @Nullable String> value) {
        try {
            return request == null ? null : value.apply(request);
        } catch (RuntimeException failure) {
            return null;
        }
    }

    /** Returns the name of the rule. */
    public String rule() {
        return rule;
    }

    /**
     * Returns the resource: method and pattern of an endpoint, or {@code Class.method}; empty for a ban by an operator.
     */
    public String resource() {
        return resource;
    }

    public Outcome outcome() {
        return outcome;
    }

    /**
     * Returns the decision on this rule, with the state of its limits. Null if the rule skipped the request, or would
     * have denied the address.
     */
    public @Nullable Decision decision() {
        return decision;
    }

    /** Returns how long the request waited for this rule; zero if it did not wait. */
    public Duration waited() {
        return waited;
    }

    /**
     * Returns the key as storages contain it. Null if the limits were not checked, because the rule skipped the request
     * or denied the address. The key may contain secrets such as an API key: log {@link #keyHash()} instead.
     */
    public @Nullable String key() {
        return charge == null ? null : charge.key();
    }

    /**
     * Returns a hash of the {@link #key()} for logs, as 16 hexadecimal digits; null without a key. It is the same in
     * all instances with the same {@code limiter.redis.key-secret}; without a secret, only in this process.
     */
    public @Nullable String keyHash() {
        return charge == null || hash == null ? null : hash.of(charge.key());
    }

    /**
     * Returns the client as {@code key: ip} does: an IPv4 address, or the network of an IPv6 address. Null for a call
     * without a request, and for a ban by an operator.
     */
    public @Nullable String address() {
        return address;
    }

    /** Returns the name of the logged-in user; null without a user or a request. */
    public @Nullable String principal() {
        return principal;
    }

    /**
     * Returns the permits that the request costs, the largest over all limits; 0 without a {@link #key}.
     */
    public long permits() {
        return charge == null ? 0 : charge.permits();
    }

    /** Returns the name of the tier that applied; null for the rule's own limits and resolved ones. */
    public @Nullable String tier() {
        return tier;
    }

    /** Returns a description without the key. */
    @Override
    public String toString() {
        return outcome.tag() + " by " + rule + " for " + resource;
    }
}
