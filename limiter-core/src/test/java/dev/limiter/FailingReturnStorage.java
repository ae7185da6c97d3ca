package dev.limiter;

import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.DelegatingDecision;
import dev.limiter.spi.ReleaseListener;
import java.util.List;
import java.util.function.Predicate;

/** A storage that throws when permits of some rules are returned or released, and keeps them. */
final class FailingReturnStorage extends DelegatingStorage {

    private final RateLimiterStorage storage;
    private final Predicate<Rule> kept;
    volatile boolean closed;

    FailingReturnStorage(RateLimiterStorage storage, Predicate<Rule> kept) {
        super(storage);
        this.storage = storage;
        this.kept = kept;
    }

    @Override
    public Decision decide(List<Charge> charges) {
        return AbstractDecision.allOf(
                super.decide(charges).parts().stream().map(Unreturnable::new).toList());
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        storage.onRelease(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        storage.removeReleaseListener(listener);
    }

    @Override
    public void close() {
        closed = true;
    }

    private final class Unreturnable extends DelegatingDecision {

        Unreturnable(Decision decision) {
            super(decision);
        }

        private void check() {
            if (permitted() && kept.test(rule())) {
                throw new IllegalStateException("cannot take back " + rule().name());
            }
        }

        @Override
        public void giveBack() {
            check();
            decision.giveBack();
        }

        @Override
        public void close() {
            check();
            decision.close();
        }
    }
}
