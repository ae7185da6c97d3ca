package dev.limiter.benchmarks.web;

import java.util.Locale;

/** The limiter of {@link HelloApplication}. Each is a profile of {@code hello.yml}. */
enum Variant {

    /** No limiter. */
    NONE("no limit"),

    /** {@link #NONE} again: shows how much two runs of the same application differ. */
    NONE_AGAIN("the same once more"),

    /** Limiter with the automatic limit and a rule keyed by address, without response fields. */
    LIMITER("**Limiter**, no fields"),

    /** {@link #LIMITER} with the fields of the IETF draft. */
    LIMITER_IETF("**Limiter**, fields of the IETF draft"),

    /** {@link #LIMITER_IETF} with meters, counts of recent minutes, and the most rejected keys. */
    LIMITER_IETF_OBSERVED("**Limiter**, with fields, observed"),

    /** Two rules keyed by address, all or nothing, without response fields. */
    LIMITER_TWO_RULES("**Limiter**, two rules, no fields"),

    /** The annotation of resilience4j: one limit for all callers, without response fields. */
    RESILIENCE4J("resilience4j's annotation (one limit for all)"),

    /** The interceptor of Sentinel with the address as origin and a limit per origin, without response fields. */
    SENTINEL("Sentinel's interceptor"),

    /** The filter of bucket4j's starter, keyed by address, with a Caffeine cache and one response field. */
    BUCKET4J("bucket4j's filter"),

    /** {@link #NONE} on WebFlux. */
    WEBFLUX("no limit"),

    /** {@link #WEBFLUX} again. */
    WEBFLUX_AGAIN("the same once more"),

    /** {@link #LIMITER_IETF} on WebFlux. */
    WEBFLUX_LIMITER_IETF("**Limiter**, fields of the IETF draft"),

    /** A route of Spring Cloud Gateway that needs no backend, without a limit. */
    GATEWAY("no limit"),

    /** The route with a rule of Limiter in Redis keyed by address, with the fields of the IETF draft. */
    GATEWAY_LIMITER("**Limiter**, fields of the IETF draft"),

    /** The route with the filter of the gateway itself, keyed by address, with its own fields. */
    GATEWAY_REQUEST_RATE_LIMITER("Spring Cloud Gateway's `RequestRateLimiter`");

    private final String label;

    Variant(String label) {
        this.label = label;
    }

    /** Returns the row of the table. */
    String label() {
        return label;
    }

    /** Returns whether the limits are in Redis. */
    boolean needsRedis() {
        return this == GATEWAY_LIMITER || this == GATEWAY_REQUEST_RATE_LIMITER;
    }

    String profile() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Variant of(String profile) {
        return valueOf(profile.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
