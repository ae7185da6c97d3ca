package dev.limiter.spi;

import dev.limiter.Decision;
import dev.limiter.Rule;

/** Delegates to another decision, except for returns and releases. */
public abstract class DelegatingDecision extends AbstractDecision {

    protected final AbstractDecision decision;

    protected DelegatingDecision(Decision decision) {
        this.decision = AbstractDecision.of(decision);
    }

    @Override
    public boolean permitted() {
        return decision.permitted();
    }

    @Override
    public Rule rule() {
        return decision.rule();
    }

    @Override
    protected long delayNanos() {
        return decision.delayNanos();
    }

    @Override
    public long turnNanos() {
        return decision.turnNanos();
    }

    @Override
    protected long remaining(int limit) {
        return decision.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return decision.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return decision.resetNanos(limit);
    }

    @Override
    protected int deciding() {
        return decision.deciding();
    }
}
