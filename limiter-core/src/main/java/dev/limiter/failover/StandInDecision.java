package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.Optional;

/** A decision that no storage made: the request is permitted, or rejected for a second. */
final class StandInDecision extends Decision {

    /** It is not known when a storage will decide again. */
    private static final long TRY_AGAIN = Duration.ofSeconds(1).toNanos();

    private final Charge charge;
    private final boolean permitted;

    StandInDecision(Charge charge, boolean permitted) {
        this.charge = charge;
        this.permitted = permitted;
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.of(permitted ? OnFailure.ALLOW : OnFailure.DENY);
    }

    @Override
    public boolean permitted() {
        return permitted;
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
        return permitted ? rule().limits().get(limit).capacity() : 0;
    }

    @Override
    protected long waitNanos(int limit) {
        return permitted ? 0 : TRY_AGAIN;
    }

    @Override
    protected long resetNanos(int limit) {
        return waitNanos(limit);
    }
}
