package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.Optional;

/** A decision that no storage made: everything is permitted, or refused for some time. */
final class StandInDecision extends Decision {

    /** It is not known when a storage will decide again. */
    static final long TRY_AGAIN = Duration.ofSeconds(1).toNanos();

    private final Charge charge;
    private final OnFailure how;
    private final long wait;

    /** {@code wait}: 0 if it is permitted, else for how long it is refused, in nanoseconds. */
    StandInDecision(Charge charge, OnFailure how, long wait) {
        this.charge = charge;
        this.how = how;
        this.wait = wait;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.of(how);
    }

    @Override
    public boolean permitted() {
        return wait == 0;
    }

    @Override
    public Rule rule() {
        return charge.rule();
    }

    @Override
    protected String key() {
        return charge.key();
    }

    @Override
    public void giveBack() {}

    @Override
    protected long remaining(int limit) {
        return permitted() ? rule().limits().get(limit).capacity() : 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return wait;
    }

    @Override
    protected long resetNanos(int limit) {
        return wait;
    }
}
