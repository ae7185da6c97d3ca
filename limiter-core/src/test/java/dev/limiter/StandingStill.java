package dev.limiter;

import java.util.List;

/** A storage where nobody moves up when one in front gives up: a fault that tests have to find. */
final class StandingStill extends DelegatingStorage {

    StandingStill(RateLimiterStorage storage) {
        super(storage);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        return new Fixed(super.decide(charges));
    }

    private static final class Fixed extends DelegatingDecision {

        Fixed(Decision decision) {
            super(decision);
        }

        @Override
        protected void giveUp(List<? extends Decision> behind) {
            decision.giveBack();
        }

        @Override
        public void giveBack() {
            decision.giveBack();
        }
    }
}
