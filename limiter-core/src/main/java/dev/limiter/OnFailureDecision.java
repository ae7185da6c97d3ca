package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A decision that was made in another way than usual, because the storage could not be asked. Its permits are free again
 * before a release listener hears of it.
 */
final class OnFailureDecision extends Decision {

    private final OnFailure how;
    private final Decision decision;
    private final List<LimitStatus> known;
    private final Runnable givenBack;
    private final Runnable closed;

    /** {@code known}: where each limit stands besides. */
    OnFailureDecision(OnFailure how, Decision decision, List<LimitStatus> known, Runnable givenBack, Runnable closed) {
        this.how = how;
        this.decision = decision;
        this.known = known;
        this.givenBack = givenBack;
        this.closed = closed;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.of(how);
    }

    @Override
    public boolean permitted() {
        return decision.permitted() && known.stream().allMatch(LimitStatus::permitted);
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
        return permitted() ? decision.delayNanos() : 0;
    }

    @Override
    protected long turn() {
        return decision.turn();
    }

    @Override
    protected void giveUp(List<? extends Decision> behind) {
        givenBack.run();
        decision.giveUp(behind);
    }

    @Override
    public void giveBack() {
        givenBack.run();
        decision.giveBack();
    }

    @Override
    public void close() {
        closed.run();
        decision.close();
    }

    @Override
    protected long remaining(int limit) {
        return Math.min(decision.remaining(limit), known.get(limit).remaining());
    }

    @Override
    protected long waitNanos(int limit) {
        LimitStatus status = known.get(limit);
        long made = decision.waitNanos(limit);
        if (status.permitted()) {
            return made;
        }
        long wait = status.retryAfter().map(Duration::toNanos).orElse(UNKNOWN);
        return made == NEVER && wait != UNKNOWN ? wait : Math.max(made, wait);
    }

    @Override
    protected long resetNanos(int limit) {
        return Math.max(
                decision.resetNanos(limit), known.get(limit).resetAfter().toNanos());
    }
}
