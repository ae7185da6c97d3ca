package dev.limiter.benchmarks.web;

import java.util.Locale;

/** The limiter of {@link HelloApplication}. Each is a profile of {@code hello.yml}. */
enum Variant {

    /** No limiter. */
    NONE("no limit"),

    /** {@link #NONE} once more: by how much two runs of one and the same application differ. */
    NONE_AGAIN("the same once more"),

    /** Ours: the automatic limit and a rule keyed by address; no fields in the answer. */
    LIMITER("**Limiter**, no fields"),

    /** {@link #LIMITER} with the fields of the IETF draft. */
    LIMITER_IETF("**Limiter**, fields of the IETF draft"),

    /**
     * {@link #LIMITER_IETF} with all that observes: meters, counts of recent minutes, and keys that are rejected most.
     */
    LIMITER_IETF_OBSERVED("**Limiter**, with fields, observed"),

    /** Two rules, each keyed by address, all or nothing; no fields in the answer. */
    LIMITER_TWO_RULES("**Limiter**, two rules, no fields"),

    /** The annotation of resilience4j: one limit for all callers, no fields. */
    RESILIENCE4J("resilience4j's annotation (one limit for all)"),

    /** The interceptor of Sentinel, with the address as the origin, and a limit for each origin; no fields. */
    SENTINEL("Sentinel's interceptor"),

    /** The filter of bucket4j's starter, keyed by address, over a cache of Caffeine; one field. */
    BUCKET4J("bucket4j's filter");

    private final String label;

    Variant(String label) {
        this.label = label;
    }

    /** The row of a table. */
    String label() {
        return label;
    }

    String profile() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Variant of(String profile) {
        return valueOf(profile.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
