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

    private static final class Fixed extends Decision {

        private final Decision decision;

        Fixed(Decision decision) {
            this.decision = decision;
        }

        @Override
        protected void giveUp(List<? extends Decision> behind) {
            decision.giveBack();
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
        public void giveBack() {
            decision.giveBack();
        }

        @Override
        protected long remaining(int limit) {
            return decision.remaining(limit);
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
}
