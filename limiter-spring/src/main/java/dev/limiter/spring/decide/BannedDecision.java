package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.Rule;

/** The key was rejected too often, and is refused outright until the ban is over; the limits were not asked. */
public final class BannedDecision extends Decision {

    private final Rule rule;
    private final long restNanos;

    /** {@code restNanos}: until the ban is over. */
    BannedDecision(Rule rule, long restNanos) {
        this.rule = rule;
        this.restNanos = restNanos;
    }

    @Override
    public boolean permitted() {
        return false;
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return restNanos;
    }

    @Override
    protected long resetNanos(int limit) {
        return restNanos;
    }
}
