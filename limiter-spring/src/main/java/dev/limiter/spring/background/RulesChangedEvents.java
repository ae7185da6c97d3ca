package dev.limiter.spring.background;

import dev.limiter.spring.operate.RulesChanged;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Publishes that rules are different: at once, up to {@value #MOST} times a second; of further changes the last one,
 * when the second is over. Each event tells all that is different. Thread-safe.
 */
public final class RulesChangedEvents implements Consumer<RulesChanged>, AutoCloseable {

    private static final Log logger = LogFactory.getLog(RulesChangedEvents.class);

    static final int MOST = 10;
    static final long PERIOD_MILLIS = 1_000;

    private final Consumer<RulesChanged> events;
    private @Nullable ScheduledExecutorService executor;

    /** The event to be published when the period ends; null if nothing has happened in it. */
    private @Nullable RulesChanged pending;

    /** The events of this period; 0 if there is none. */
    private int published;

    private boolean closed;

    public RulesChangedEvents(Consumer<RulesChanged> events) {
        this.events = events;
    }

    @Override
    public void accept(RulesChanged event) {
        synchronized (this) {
            if (published == MOST) {
                pending = event;
                return;
            }
            if (published == 0) {
                beginPeriod();
            }
            published += closed ? 0 : 1;
        }
        events.accept(event);
    }

    private void beginPeriod() {
        if (closed) {
            return;
        }
        if (executor == null) {
            executor = Executors.newSingleThreadScheduledExecutor(new DaemonThreads("limiter-rules-changed"));
        }
        var unused = executor.schedule(this::endPeriod, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void endPeriod() {
        RulesChanged last;
        synchronized (this) {
            last = pending;
            pending = null;
            published = last == null ? 0 : 1;
            if (last != null) {
                beginPeriod();
            }
        }
        if (last != null) {
            try {
                events.accept(last);
            } catch (RuntimeException failure) {
                logger.warn("A listener of changed rules failed; the change stands", failure);
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        published = 0;
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }
}
