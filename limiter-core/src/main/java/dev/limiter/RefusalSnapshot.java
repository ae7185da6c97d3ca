package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A refusal whose limits were worked out at once: it took nothing, so there is nothing to return. Immutable. */
final class RefusalSnapshot extends Decision {

    private final Decision refused;
    private final List<LimitStatus> limits;
    private final int deciding;

    RefusalSnapshot(Decision refused) {
        this.refused = refused;
        this.limits = refused.limits();
        this.deciding = limits.size() == 1 ? 0 : refused.deciding();
    }

    @Override
    public boolean permitted() {
        return false;
    }

    @Override
    public boolean sharesState() {
        return refused.sharesState();
    }

    @Override
    public Rule rule() {
        return refused.rule();
    }

    @Override
    protected String key() {
        return refused.key();
    }

    @Override
    public List<LimitStatus> limits() {
        return limits;
    }

    @Override
    public Optional<Duration> retryAfter() {
        return deciding < limits.size() ? limits.get(deciding).retryAfter() : super.retryAfter();
    }

    @Override
    public void giveBack() {
        // nothing was taken
    }

    @Override
    public Decision snapshot() {
        return this;
    }

    @Override
    protected long remaining(int limit) {
        return refused.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return refused.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return refused.resetNanos(limit);
    }

    @Override
    protected int deciding() {
        return deciding;
    }
}
