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
    private final Rule rule;
    private final Runnable givenBack;
    private final Runnable closed;

    /**
     * @param decision by the share of an instance
     * @param known where each limit stands besides, which is no share
     */
    OnFailureDecision(OnFailure how, Decision decision, List<LimitStatus> known, Runnable givenBack, Runnable closed) {
        this.how = how;
        this.decision = decision;
        this.known = known;
        this.rule = whole(decision.rule(), known);
        this.givenBack = givenBack;
        this.closed = closed;
    }

    private static Rule whole(Rule share, List<LimitStatus> known) {
        List<Limit> limits = known.stream().map(LimitStatus::limit).toList();
        return limits.equals(share.limits()) ? share : Rule.of(share.name(), limits);
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
    public boolean sharesState() {
        return decision.sharesState();
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public Limit limit() {
        return share(deciding());
    }

    private Limit share(int limit) {
        return decision.rule().limits().get(limit);
    }

    @Override
    protected LimitStatus status(int limit) {
        LimitStatus whole = super.status(limit);
        return new LimitStatus(
                whole.policy(),
                share(limit),
                whole.permitted(),
                whole.remaining(),
                whole.retryAfter(),
                whole.resetAfter());
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
