package dev.limiter.spring.failure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;

/**
 * Logs failures that clients can cause with each request. For each sort, it logs one stack trace a minute and the
 * number of skipped failures. Escapes values, so that clients cannot forge log lines. Thread-safe.
 */
public final class FailureLog {

    static final Duration INTERVAL = Duration.ofMinutes(1);

    private final Log logger;
    private final LongSupplier nanoTime;
    private final Map<String, Sort> sorts = new ConcurrentHashMap<>();

    public FailureLog(Log logger) {
        this(logger, System::nanoTime);
    }

    FailureLog(Log logger, LongSupplier nanoTime) {
        this.logger = logger;
        this.nanoTime = nanoTime;
    }

    /**
     * Logs a failure, or counts it if one of this sort was logged within the last minute.
     *
     * @param sort the group of failures that are counted together, such as a rule; there should be few
     * @param message as a sentence without a full stop
     */
    public void error(String sort, String message, Throwable failure) {
        Sort counted = sorts.computeIfAbsent(sort, first -> new Sort(nanoTime.getAsLong() - INTERVAL.toNanos()));
        if (counted.isDue(nanoTime.getAsLong())) {
            long skipped = counted.skipped.getAndSet(0);
            String more = skipped == 0 ? "" : " (" + skipped + " more such failures since the last message)";
            logger.error(LogText.escape(message) + more, LogText.escape(failure));
        } else {
            counted.skipped.incrementAndGet();
        }
    }

    private static final class Sort {

        private final AtomicLong logged;
        private final AtomicLong skipped = new AtomicLong();

        Sort(long logged) {
            this.logged = new AtomicLong(logged);
        }

        boolean isDue(long now) {
            long last = logged.get();
            return now - last >= INTERVAL.toNanos() && logged.compareAndSet(last, now);
        }
    }
}
