package dev.limiter;

import java.util.List;
import java.util.Optional;

/** A decision that was made in another way than usual, because the storage could not be asked. */
final class OnFailureDecision extends Decision {

    private final OnFailure how;
    private final Decision decision;
    private final long[] left;
    private final Runnable givenBack;
    private final Runnable closed;

    /** {@code left}: the most permits that are left of each limit. */
    OnFailureDecision(OnFailure how, Decision decision, long[] left, Runnable givenBack, Runnable closed) {
        this.how = how;
        this.decision = decision;
        this.left = left;
        this.givenBack = givenBack;
        this.closed = closed;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.of(how);
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
    protected void giveUp(List<? extends Decision> behind) {
        decision.giveUp(behind);
        givenBack.run();
    }

    @Override
    public void giveBack() {
        decision.giveBack();
        givenBack.run();
    }

    @Override
    public void close() {
        decision.close();
        closed.run();
    }

    @Override
    protected long remaining(int limit) {
        return Math.min(decision.remaining(limit), left[limit]);
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
