package dev.limiter.spring.web;

import dev.limiter.spring.operate.BackgroundTask;
import jakarta.servlet.AsyncContext;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds asynchronous requests that ended without a notification. Tomcat calls no listener if the time-out occurs
 * between a failed write and the report of that failure. Checks once a second on a daemon thread, which the first
 * request starts. Thread-safe.
 */
final class AsyncRequests {

    private final Map<AsyncContext, UnderWay> underWay = new ConcurrentHashMap<>();
    private final BackgroundTask watch =
            new BackgroundTask("limiter-async-requests", Duration.ofSeconds(1), this::endForgotten);
    private volatile boolean watching;

    private static final class UnderWay {

        private final Runnable end;
        private boolean missed;

        UnderWay(Runnable end) {
            this.end = end;
        }
    }

    /** Adds a request. {@code end}: called if the request has ended without a notification. */
    void begin(AsyncContext context, Runnable end) {
        underWay.put(context, new UnderWay(end));
        if (!watching) {
            watching = true;
            watch.start();
        }
    }

    /** Removes a request after the container has reported its end, or a failure, which may be its last report. */
    void over(AsyncContext context) {
        underWay.remove(context);
    }

    /** Ends requests that are found in two checks, because the container may be about to report their end. */
    void endForgotten() {
        for (Iterator<Map.Entry<AsyncContext, UnderWay>> all =
                        underWay.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<AsyncContext, UnderWay> next = all.next();
            UnderWay request = next.getValue();
            boolean forgotten = isForgotten(next.getKey());
            if (forgotten && request.missed) {
                all.remove();
                request.end.run();
            }
            request.missed = forgotten;
        }
    }

    /** Returns whether the request is over, so that its context is no longer usable. */
    private static boolean isForgotten(AsyncContext context) {
        try {
            context.getTimeout();
            return false;
        } catch (IllegalStateException over) {
            return true;
        }
    }

    /** Stops checking. */
    void close() {
        watch.stop();
    }
}
