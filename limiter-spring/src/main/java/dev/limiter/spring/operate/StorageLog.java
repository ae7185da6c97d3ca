package dev.limiter.spring.operate;

import dev.limiter.failover.StorageListener;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs each change of the storage once, and unreadable states and missing rights at most once a minute. Thread-safe.
 */
public final class StorageLog implements StorageListener {

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String storage;
    private final String broken;
    private final Log logger;
    private final AtomicLong logBrokenAfter = new AtomicLong(System.nanoTime());
    private final AtomicLong logRightAfter = new AtomicLong(System.nanoTime());

    /**
     * @param storage the display name of the storage
     * @param broken the likely causes of an unreadable state, as a clause
     */
    public StorageLog(String storage, String broken) {
        this(storage, broken, LogFactory.getLog(StorageLog.class));
    }

    StorageLog(String storage, String broken, Log logger) {
        this.storage = storage;
        this.broken = broken;
        this.logger = logger;
    }

    @Override
    public void lost(String node, Throwable cause) {
        logger.warn(name(node) + " is unavailable. Until it recovers, decisions follow on-failure (local: each instance"
                + " enforces its share of the limits in memory). Cause: " + cause.getMessage());
        logger.debug(name(node) + " is unavailable", cause);
    }

    @Override
    public void found(String node) {
        logger.info(name(node) + " is available again");
    }

    private String name(String node) {
        return node.isEmpty() ? storage : "The node " + node + " of the " + storage + " cluster";
    }

    @Override
    public void broken(@Nullable String message) {
        if (isTime(logBrokenAfter)) {
            logger.warn(
                    broken + ". Until this is repaired, decisions on the affected keys follow on-failure. " + message);
        }
    }

    @Override
    public void lacksRight(@Nullable String message) {
        if (isTime(logRightAfter)) {
            logger.warn(message + ". Without it, decisions follow on-failure, refunds stay charged, and released"
                    + " permits are free only after 30 s.");
        }
    }

    /** Returns true at most once a minute. */
    private static boolean isTime(AtomicLong logAfter) {
        long now = System.nanoTime();
        long after = logAfter.get();
        return now - after >= 0 && logAfter.compareAndSet(after, now + QUIET_NANOS);
    }
}
