package dev.limiter.spring.failure;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;

/**
 * Logs failures that a client can cause with each request: for each sort, one with its stack trace a minute, and the
 * number of those in between. Values from a client cannot forge lines. Thread-safe.
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
     * Logs the failure, or counts it.
     *
     * @param sort what failures are counted together, such as the name of a rule; there should be few
     * @param message as a sentence without a full stop
     */
    public void error(String sort, String message, Throwable failure) {
        Sort counted = sorts.computeIfAbsent(sort, first -> new Sort(nanoTime.getAsLong() - INTERVAL.toNanos()));
        if (counted.isDue(nanoTime.getAsLong())) {
            long unsaid = counted.unsaid.getAndSet(0);
            String more = unsaid == 0 ? "" : " (" + unsaid + " more such failures since the last message)";
            logger.error(LogText.escape(message) + more, LogText.escape(failure));
        } else {
            counted.unsaid.incrementAndGet();
        }
    }

    /** Failures that are counted together. */
    private static final class Sort {

        private final AtomicLong said;
        private final AtomicLong unsaid = new AtomicLong();

        Sort(long said) {
            this.said = new AtomicLong(said);
        }

        boolean isDue(long now) {
            long last = said.get();
            return now - last >= INTERVAL.toNanos() && said.compareAndSet(last, now);
        }
    }
}
