package dev.limiter.spring.autoconfigure;

import dev.limiter.Rule;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.Rules;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to Redis and warms up before the web server accepts requests and the application is ready, because the first
 * decisions of a JVM can exceed the timeout. Does not delay startup while Redis is down.
 */
final class RedisWarmUp implements SmartLifecycle {

    private static final Duration AT_MOST = Duration.ofSeconds(5);

    private final FailoverRateLimiterStorage storage;
    private final ObjectProvider<Rules> rules;
    private volatile boolean running;

    RedisWarmUp(FailoverRateLimiterStorage storage, ObjectProvider<Rules> rules) {
        this.storage = storage;
        this.rules = rules;
    }

    @Override
    public void start() {
        storage.warmUp(rules(), AT_MOST);
        running = true;
    }

    private List<Rule> rules() {
        return rules.getObject().current().rules().stream()
                .map(RateLimitRule::rule)
                .toList();
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before web servers, which start in one of the last phases. */
    @Override
    public int getPhase() {
        return 0;
    }
}
