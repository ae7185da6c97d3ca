package dev.limiter.failover;

/** Hears what the shared storage says of each state, in the order of its answers, and what is given back to it. */
public interface StandingListener {

    StandingListener NONE = new StandingListener() {
        @Override
        public void answered(Standing standing) {}

        @Override
        public void returned(Standing standing, boolean held) {}
    };

    void answered(Standing standing);

    /** {@code held}: of the concurrency limits, else of all others. */
    void returned(Standing standing, boolean held);
}
