package dev.limiter.spring.autoconfigure;

import dev.limiter.RateLimiters;
import org.springframework.context.SmartLifecycle;

/**
 * Rejects all waiting requests when the context stops, before the graceful shutdown of the server waits for them.
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
