package dev.limiter.spring.resolve;

import dev.limiter.TimeSource;
import dev.limiter.spring.failure.LogText;
import java.time.Duration;
import java.time.Instant;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/** The state of a resolver. Logs when it starts or stops failing, at most once a minute. Thread-safe. */
final class ResolverStatus {

    private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

    private final String rule;
    private final TimeSource clock;
    private final Log logger;

    private volatile @Nullable Failure failure;
    private boolean logged;
    private long lastLogged;

    private record Failure(Throwable cause, long since) {}

    ResolverStatus(String rule, TimeSource clock, Log logger) {
        this.rule = rule;
        this.clock = clock;
        this.logger = logger;
    }

    boolean isFailing() {
        return failure != null;
    }

    /** Returns a description of the failure; null while the resolver works. */
    @Nullable
    String failure() {
        Failure current = failure;
        return current == null
                ? null
                : "fails since " + Instant.ofEpochSecond(0, current.since) + ": " + LogText.escape(cause(current));
    }

    private static String cause(Failure failure) {
        Throwable cause = failure.cause;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString();
    }

    synchronized void failed(Throwable cause) {
        if (failure != null) {
            return;
        }
        long now = clock.epochNanos();
        failure = new Failure(cause, now);
        logged = lastLogged == 0 || now - lastLogged >= INTERVAL;
        if (logged) {
            lastLogged = now;
            logger.warn(
                    "Rule " + rule + ": limit-resolver fails. Until it works again, known keys keep their last"
                            + " limits, and the rule's own limit applies to new keys.",
                    LogText.escape(cause));
        }
    }

    void succeeded() {
        if (failure != null) {
            recovered();
        }
    }

    private synchronized void recovered() {
        if (failure != null && logged) {
            logger.info("Rule " + rule + ": limit-resolver works again.");
        }
        failure = null;
    }
}
