package dev.limiter;

import java.util.List;

/** A refusal whose numbers were worked out at once: it took nothing, so there is nothing to return. Immutable. */
final class RefusalSnapshot extends Decision {

    private final Rule rule;
    private final String key;
    private final int deciding;
    private final long[] remaining;
    private final long[] waitNanos;
    private final long[] resetNanos;
    private final List<LimitStatus> limits;

    RefusalSnapshot(Decision refused) {
        this.rule = refused.rule();
        this.key = refused.key();
        List<Limit> asked = rule.limits();
        List<String> policies = rule.policies();
        int size = asked.size();
        LimitStatus[] statuses = new LimitStatus[size];
        this.remaining = new long[size];
        this.waitNanos = new long[size];
        this.resetNanos = new long[size];
        for (int i = 0; i < size; i++) {
            remaining[i] = refused.remaining(i);
            waitNanos[i] = refused.waitNanos(i);
            resetNanos[i] = refused.resetNanos(i);
            statuses[i] = status(policies.get(i), asked.get(i), remaining[i], waitNanos[i], resetNanos[i]);
        }
        this.deciding = size == 1 ? 0 : super.deciding();
        this.limits = List.of(statuses);
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
    protected String key() {
        return key;
    }

    @Override
    public List<LimitStatus> limits() {
        return limits;
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
        return remaining[limit];
    }

    @Override
    protected long waitNanos(int limit) {
        return waitNanos[limit];
    }

    @Override
    protected long resetNanos(int limit) {
        return resetNanos[limit];
    }

    @Override
    protected int deciding() {
        return deciding;
    }
}
