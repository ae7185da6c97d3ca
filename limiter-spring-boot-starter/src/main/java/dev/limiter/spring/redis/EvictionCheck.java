package dev.limiter.spring.redis;

import dev.limiter.failover.StorageListener;
import dev.limiter.redis.Redis;
import dev.limiter.redis.server.EvictionPolicy;
import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once if the server deletes limits when its memory is full, as far as it tells. Asks when the server has
 * answered for the first time, in the background. Thread-safe.
 */
public final class EvictionCheck implements StorageListener {

    private static final Log logger = LogFactory.getLog(EvictionCheck.class);

    private final Redis redis;
    private final String keyPrefix;
    private final AtomicBoolean asked = new AtomicBoolean();

    public EvictionCheck(Redis redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        if (outcome == Outcome.OK && !asked.get() && asked.compareAndSet(false, true)) {
            var unused = EvictionPolicy.of(redis, keyPrefix).whenComplete((policy, failure) -> {
                if (failure != null) {
                    asked.set(false);
                } else if (EvictionPolicy.losesLimits(policy)) {
                    logger.warn(finding(policy));
                }
            });
        }
    }

    private static Finding finding(String policy) {
        return new Finding(
                MessageCode.EVICTING_SERVER,
                "Redis has maxmemory-policy " + policy
                        + ": when its memory is full it deletes limits, and clients get their full limit anew. Give"
                        + " limits a server with noeviction (limiter.redis.url), which refuses writes instead, so"
                        + " that they are decided as on-failure says.");
    }
}
