package dev.limiter.spring.resolve;

import dev.limiter.TimeSource;
import dev.limiter.spi.Resettable;
import dev.limiter.spring.key.KeyHash;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The resolved limits of all rules. They survive a reload, because results are cached by rule name and
 * {@code limit-resolver}. Thread-safe.
 */
public final class LimitResolvers implements Resettable, AutoCloseable {

    private static final Log logger = LogFactory.getLog(LimitResolvers.class);

    private static final int THREADS = 8;
    private static final int QUEUE = 10_000;

    private final long maxKeys;
    private final TimeSource clock;
    private final KeyHash hash;
    private final AtomicLong era = new AtomicLong();
    private final ConcurrentMap<Source, Cached> caches = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor background;

    private record Source(String rule, String resolver) {}

    private record Cached(ResolverCache cache, ResolverStatus status) {}

    /** {@code maxKeys}: the most results that are cached for a rule. */
    public LimitResolvers(long maxKeys, TimeSource clock, KeyHash hash) {
        this.maxKeys = maxKeys;
        this.clock = clock;
        this.hash = hash;
        this.background = new ThreadPoolExecutor(
                THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE), LimitResolvers::thread);
        background.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "limiter-resolver");
        thread.setDaemon(true);
        return thread;
    }

    /** Returns the cache of one resolver for one rule. */
    public ResolverCache cache(String rule, String resolver) {
        return caches.computeIfAbsent(new Source(rule, resolver), source -> {
                    ResolverStatus status = new ResolverStatus(rule, clock, logger);
                    return new Cached(new ResolverCache(maxKeys, status, background, clock, era::get), status);
                })
                .cache;
    }

    /** Logs an invalid result. */
    public void invalid(String rule, String key, String reason) {
        logger.warn("Rule " + rule + ": limit-resolver " + reason + " The rule's own limit applies to the key "
                + hash.of(key) + ".");
    }

    /** Returns the rules with a failing resolver, each with the time and the reason. */
    public Map<String, String> failing() {
        Map<String, String> failing = new TreeMap<>();
        caches.forEach((source, cached) -> {
            String failure = cached.status.failure();
            if (failure != null) {
                failing.put(source.rule, failure);
            }
        });
        return failing;
    }

    /** Drops all results. */
    @Override
    public void reset() {
        era.incrementAndGet();
    }

    @Override
    public void close() {
        background.shutdownNow();
    }
}
