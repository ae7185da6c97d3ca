package dev.limiter.test;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.InfrastructureProxy;
import org.springframework.core.env.Environment;

/**
 * An in-memory storage that is replaced before each test, because the clock then moves back. Decisions of earlier tests
 * release their permits in their own storage. Thread-safe.
 */
final class ResettableStorage implements RateLimiterStorage, InfrastructureProxy {

    private final RateLimiterFactory factory;
    private final VirtualTimeSource time;
    private final long maxKeys;
    private final ReleaseListeners listeners = new ReleaseListeners();
    private volatile RateLimiterStorage current;

    ResettableStorage(ObjectProvider<RateLimiterFactory> factory, VirtualTimeSource time, Environment environment) {
        this.factory = factory.getIfAvailable(RateLimiterFactory::new);
        this.time = time;
        this.maxKeys = environment.getProperty("limiter.max-keys", Long.class, 100_000L);
        this.current = fresh();
    }

    void startOver() {
        current = fresh();
    }

    private RateLimiterStorage fresh() {
        RateLimiterStorage fresh = new InMemoryRateLimiterStorage(factory, time, maxKeys);
        fresh.onRelease(listeners);
        return fresh;
    }

    /** Metrics and the endpoint show the wrapped storage, as outside of tests. */
    @Override
    public Object getWrappedObject() {
        return current;
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        listeners.remove(listener);
    }

    @Override
    public TimeSource clock() {
        return time;
    }

    @Override
    public Decision decide(Rule rule, String key, long permits) {
        return current.decide(rule, key, permits);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        return current.decide(charges);
    }

    @Override
    public Decision peek(List<Charge> charges) {
        return current.peek(charges);
    }

    @Override
    public void reset(Rule rule, String key) {
        current.reset(rule, key);
    }

    @Override
    public long size() {
        return current.size();
    }

    @Override
    public void cleanUp() {
        current.cleanUp();
    }
}
