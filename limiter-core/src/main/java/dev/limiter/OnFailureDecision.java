package dev.limiter;

import java.util.List;
import java.util.Optional;

/** A decision by the share of one instance, told as one on the rule that was asked for. */
final class OnFailureDecision extends Decision {

    private final OnFailure how;
    private final Rule rule;
    private final Decision share;

    OnFailureDecision(OnFailure how, Rule rule, Decision share) {
        this.how = how;
        this.rule = rule;
        this.share = share;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.of(how);
    }

    @Override
    public boolean permitted() {
        return share.permitted();
    }

    @Override
    public boolean sharesState() {
        return share.sharesState();
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public Limit limit() {
        return share.limit();
    }

    @Override
    public List<LimitStatus> limits() {
        return share.limits();
    }

    @Override
    protected LimitStatus status(int limit) {
        return share.status(limit);
    }

    @Override
    protected String key() {
        return share.key();
    }

    @Override
    protected long delayNanos() {
        return share.delayNanos();
    }

    @Override
    protected long turn() {
        return share.turn();
    }

    @Override
    protected int deciding() {
        return share.deciding();
    }

    @Override
    protected void giveUp(List<? extends Decision> behind) {
        share.giveUp(behind);
    }

    @Override
    public void giveBack() {
        share.giveBack();
    }

    @Override
    public void close() {
        share.close();
    }

    @Override
    protected long remaining(int limit) {
        return share.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return share.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return share.resetNanos(limit);
    }
}
