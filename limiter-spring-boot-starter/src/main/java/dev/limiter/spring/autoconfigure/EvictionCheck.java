package dev.limiter.spring.autoconfigure;

import dev.limiter.failover.StorageListener;
import dev.limiter.redis.EvictionPolicy;
import dev.limiter.redis.Redis;
import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once about each Redis node that deletes limits when its memory is full. Reads the setting in the background
 * after the first reply of a node. Nodes may not allow reading it. Thread-safe.
 */
final class EvictionCheck implements StorageListener {

    private static final Log logger = LogFactory.getLog(EvictionCheck.class);

    private final Redis redis;
    private final String keyPrefix;
    private final AtomicBoolean checked = new AtomicBoolean();
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    public EvictionCheck(Redis redis, String keyPrefix) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        if (outcome == Outcome.OK && !checked.get() && checked.compareAndSet(false, true)) {
            checkEach();
        }
    }

    /** Checks again, because a node may have been unavailable before. */
    @Override
    public void found(String node) {
        checked.set(false);
    }

    private void checkEach() {
        EvictionPolicy.ofEach(redis, keyPrefix).forEach((node, reply) -> {
            var unused = reply.whenComplete((policy, failure) -> {
                if (failure == null && EvictionPolicy.losesLimits(policy) && warned.add(node)) {
                    logger.warn(finding(node, policy));
                }
                if (failure != null && node.isEmpty()) {
                    // all nodes of a cluster are checked again when a node is found again
                    checked.set(false);
                }
            });
        });
    }

    private static Finding finding(String node, String policy) {
        return new Finding(
                MessageCode.EVICTING_SERVER,
                (node.isEmpty() ? "Redis" : "The node " + node + " of the Redis cluster") + " has maxmemory-policy "
                        + policy
                        + ": when its memory is full, it deletes buckets, and clients get their full limit again. Use"
                        + " a server with noeviction (limiter.redis.url), which rejects writes instead, so that rules"
                        + " use on-failure.");
    }
}
