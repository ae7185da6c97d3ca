package dev.limiter.spi;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.Optional;

/**
 * A decision with the limits of one instance's share, reported for the rule that was requested. A request that costs
 * more than the share gets a retry time instead of "never": the whole limit may permit it later.
 */
final class OnFailureDecision extends AbstractDecision {

    private static final long TRY_AGAIN = Duration.ofSeconds(1).toNanos();

    private final OnFailure how;
    private final Rule rule;
    private final AbstractDecision share;

    OnFailureDecision(OnFailure how, Rule rule, Decision share) {
        this.how = how;
        this.rule = rule;
        this.share = AbstractDecision.of(share);
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
    protected LimitStatus status(int limit) {
        LimitStatus status = super.status(limit);
        return new LimitStatus(
                status.policy(),
                share.rule().limits().get(limit),
                status.permitted(),
                status.remaining(),
                status.retryAfter(),
                status.resetAfter());
    }

    @Override
    protected long delayNanos() {
        return share.delayNanos();
    }

    @Override
    public long turnNanos() {
        return share.turnNanos();
    }

    @Override
    protected int deciding() {
        return share.deciding();
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
        long wait = share.waitNanos(limit);
        return wait == CompiledLimit.NEVER ? TRY_AGAIN : wait;
    }

    @Override
    protected long resetNanos(int limit) {
        return share.resetNanos(limit);
    }
}
