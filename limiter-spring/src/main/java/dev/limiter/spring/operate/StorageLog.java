package dev.limiter.spring.operate;

import dev.limiter.failover.StorageListener;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs each change once; states that cannot be read, and rights that are missing, once a minute at most. Thread-safe.
 */
public final class StorageLog implements StorageListener {

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String storage;
    private final String broken;
    private final Log logger;
    private final AtomicLong sayBrokenAfter = new AtomicLong(System.nanoTime());
    private final AtomicLong sayRightAfter = new AtomicLong(System.nanoTime());

    /**
     * @param storage its name, as people write it
     * @param broken the likely causes of a state that cannot be read, as a clause
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
        logger.warn(
                name(node) + " does not decide on limits; until it does, they are decided as on-failure says (local: in"
                        + " memory, with the share of this instance of what was left). " + cause.getMessage());
        logger.debug(name(node) + " does not decide on limits", cause);
    }

    @Override
    public void found(String node) {
        logger.info(name(node) + " decides on limits again");
    }

    private String name(String node) {
        return node.isEmpty() ? storage : "The node " + node + " of the " + storage + " cluster";
    }

    @Override
    public void broken(@Nullable String message) {
        if (isTime(sayBrokenAfter)) {
            logger.warn(broken + "; such a key is decided as on-failure says until that is mended. " + message);
        }
    }

    @Override
    public void lacksRight(@Nullable String message) {
        if (isTime(sayRightAfter)) {
            logger.warn(message + ". Decisions that need it are made as on-failure says; what is given back without"
                    + " it stays charged, and what is released is free within half a minute.");
        }
    }

    /** True once in a while. */
    private static boolean isTime(AtomicLong sayAfter) {
        long now = System.nanoTime();
        long after = sayAfter.get();
        return now - after >= 0 && sayAfter.compareAndSet(after, now + QUIET_NANOS);
    }
}
