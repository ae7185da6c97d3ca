package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.util.List;

/**
 * The address of the client is one that the rule always refuses, whatever the limits say: it {@link #never()} passes.
 */
public final class DeniedDecision extends Decision {

    private final Rule rule;

    DeniedDecision(Rule rule) {
        this.rule = rule;
    }

    @Override
    public boolean permitted() {
        return false;
    }

    @Override
    public Rule rule() {
        return rule;
    }

    /** None: no limit was asked. */
    @Override
    public List<LimitStatus> limits() {
        return List.of();
    }

    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return NEVER;
    }

    @Override
    protected long resetNanos(int limit) {
        return UNKNOWN;
    }
}
