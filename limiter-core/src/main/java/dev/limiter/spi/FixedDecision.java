package dev.limiter.spi;

import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.util.List;
import java.util.Optional;

/** A decision that was made without a storage. It took no permits, so there is nothing to return. Immutable. */
public final class FixedDecision extends AbstractDecision {

    /** The reason why no storage was used. */
    public enum Reason {
        /** The key was rejected too often, and is banned for a time. */
        BANNED,
        /** The client is on a deny list: it is never permitted, and no limit applies. */
        DENIED,
        /** The request is permitted, because no limit applies. */
        UNLIMITED,
        /** The request left the queue before its turn, or is too far back in it. */
        QUEUED,
        /** The storage is unavailable, and the request is permitted or rejected without it. */
        UNAVAILABLE
    }

    private final Rule rule;
    private final long waitNanos;
    private final Reason reason;

    /**
     * Creates a decision.
     *
     * @param waitNanos nanoseconds until a retry is useful, {@link CompiledLimit#NEVER} or {@link
     *     CompiledLimit#UNKNOWN}; 0 permits the request
     */
    public FixedDecision(Rule rule, long waitNanos, Reason reason) {
        if (waitNanos < 0) {
            throw new IllegalArgumentException("waitNanos must be 0 or more, but is " + waitNanos);
        }
        this.rule = rule;
        this.waitNanos = waitNanos;
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    @Override
    public boolean permitted() {
        return waitNanos == 0;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return reason == Reason.UNAVAILABLE
                ? Optional.of(permitted() ? OnFailure.ALLOW : OnFailure.DENY)
                : Optional.empty();
    }

    @Override
    public Rule rule() {
        return rule;
    }

    /** Returns the status of each limit; empty if no limit applies. */
    @Override
    public List<LimitStatus> limits() {
        return reason == Reason.DENIED || reason == Reason.UNLIMITED ? List.of() : super.limits();
    }

    @Override
    public void giveBack() {}

    /** Returns the whole capacity if permitted, because the actual use is unknown. */
    @Override
    protected long remaining(int limit) {
        return permitted() ? rule.limits().get(limit).capacity() : 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return waitNanos;
    }

    @Override
    protected long resetNanos(int limit) {
        return waitNanos == CompiledLimit.NEVER ? CompiledLimit.UNKNOWN : waitNanos;
    }
}
