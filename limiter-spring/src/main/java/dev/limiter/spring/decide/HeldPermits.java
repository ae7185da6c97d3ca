package dev.limiter.spring.decide;

import java.util.List;
import java.util.stream.Stream;

/**
 * The permits of concurrency limits held by one request or call, as {@link PermitHolders} shows them. Immutable,
 * thread-safe.
 */
record HeldPermits(PermitHolders holders, List<HeldPermit> permits) {

    /** No permits: the case of nearly all requests. */
    static final HeldPermits NONE = new HeldPermits(new PermitHolders(() -> 0), List.of());

    /** These and others. */
    HeldPermits and(HeldPermits others) {
        if (others.permits.isEmpty()) {
            return this;
        }
        return permits.isEmpty()
                ? others
                : new HeldPermits(
                        holders,
                        Stream.concat(permits.stream(), others.permits.stream()).toList());
    }

    /** The work is done. Does nothing the second time. */
    void release() {
        if (!permits.isEmpty()) {
            permits.forEach(holders::release);
        }
    }
}
