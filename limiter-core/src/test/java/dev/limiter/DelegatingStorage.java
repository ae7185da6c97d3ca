package dev.limiter;

import dev.limiter.spi.ReleaseListener;
import java.util.List;

/** Delegates the abstract methods, the clock and listeners to another storage. */
public abstract class DelegatingStorage implements RateLimiterStorage {

    private final RateLimiterStorage storage;

    protected DelegatingStorage(RateLimiterStorage storage) {
        this.storage = storage;
    }

    @Override
    public Decision decide(List<Charge> charges) {
        return storage.decide(charges);
    }

    @Override
    public Decision peek(List<Charge> charges) {
        return storage.peek(charges);
    }

    @Override
    public void reset(Rule rule, String key) {
        storage.reset(rule, key);
    }

    @Override
    public TimeSource clock() {
        return storage.clock();
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
    public long size() {
        return storage.size();
    }
}
