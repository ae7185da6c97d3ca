package dev.limiter.spring.web.settle;

import dev.limiter.spring.background.BackgroundTask;
import jakarta.servlet.AsyncContext;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The asynchronous requests under way, and the end of those that the container has forgotten: Tomcat tells no listener
 * of a request whose timeout comes between a failed write and the word of that. Looks at them once a second, in a daemon
 * thread of its own from the first one on. Thread-safe.
 */
public final class AsyncRequests {

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

    /** Adds a request. {@code end}: called if its container forgets it, in the thread that finds out. */
    public void begin(AsyncContext context, Runnable end) {
        underWay.put(context, new UnderWay(end));
        if (!watching) {
            watching = true;
            watch.start();
        }
    }

    /** The container has told of the end, or of a failure, which may be its last word. */
    public void over(AsyncContext context) {
        underWay.remove(context);
    }

    /** Ends those that are found forgotten for the second time: the container may be about to tell of one. */
    public void endForgotten() {
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

    /** Whether the request is over: its context cannot be used any more. */
    private static boolean isForgotten(AsyncContext context) {
        try {
            context.getTimeout();
            return false;
        } catch (IllegalStateException over) {
            return true;
        }
    }

    /** Looks at none any more. */
    public void close() {
        watch.stop();
    }
}
