package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import org.springframework.context.SmartLifecycle;

/**
 * Rejects all waiters when the context stops: before the server begins to wait for its requests, which it does
 * in an earlier phase.
 */
final class WaitingRoomLifecycle implements SmartLifecycle {

    private final RateLimiters limiters;
    private volatile boolean running;

    WaitingRoomLifecycle(RateLimiters limiters) {
        this.limiters = limiters;
    }

    @Override
    public void start() {
        limiters.startWaiting();
        running = true;
    }

    @Override
    public void stop() {
        limiters.stopWaiting();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
