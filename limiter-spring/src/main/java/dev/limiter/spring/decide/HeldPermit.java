package dev.limiter.spring.decide;

import java.time.Instant;

/**
 * The permits of a rule's concurrency limits that a request or call holds until its work is done. Immutable,
 * thread-safe; compared by identity.
 */
public final class HeldPermit {

    private final String rule;
    private final String key;
    private final long permits;
    private final String resource;
    private final String thread;
    private final Instant since;

    HeldPermit(String rule, String key, long permits, String resource, String thread, Instant since) {
        this.rule = rule;
        this.key = key;
        this.permits = permits;
        this.resource = resource;
        this.thread = thread;
        this.since = since;
    }

    /** The name of the rule. */
    public String rule() {
        return rule;
    }

    /** The key, as storages have it; may be secret, see {@link RateLimitEvent#key()}. */
    public String key() {
        return key;
    }

    /** How many, from 1: the most of any of the limits. */
    public long permits() {
        return permits;
    }

    /** The resource: method and pattern of an endpoint, or {@code Class.method}. */
    public String resource() {
        return resource;
    }

    /** The name of the thread that was granted them; asynchronous work may have moved on since. */
    public String thread() {
        return thread;
    }

    /** When they were granted. */
    public Instant since() {
        return since;
    }
}
