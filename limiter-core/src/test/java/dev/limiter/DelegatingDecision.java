package dev.limiter;

/** Tells what another decision tells; returns and releases are left to its subclasses. */
public abstract class DelegatingDecision extends Decision {

    protected final Decision decision;

    protected DelegatingDecision(Decision decision) {
        this.decision = decision;
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
    protected String key() {
        return decision.key();
    }

    @Override
    protected long delayNanos() {
        return decision.delayNanos();
    }

    @Override
    protected long turn() {
        return decision.turn();
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
}
