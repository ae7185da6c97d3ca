package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.LiveRules;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Has changes of rules be in force that were made before the start or by other instances: before the web server accepts
 * requests, and twice a second from then on.
 */
final class ChangeFollower implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(ChangeFollower.class);

    private static final long PERIOD_MILLIS = 500;

    private final LiveRules rules;
    private final boolean shared;

    /** What the log says; null while changes can be followed. */
    private @Nullable ChangeStoreException told;

    private boolean running;
    private @Nullable ScheduledExecutorService executor;

    /** {@code shared}: whether others make changes while this instance runs. */
    ChangeFollower(LiveRules rules, boolean shared) {
        this.rules = rules;
        this.shared = shared;
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        follow();
        if (shared) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(ChangeFollower::thread);
            var unused =
                    started.scheduleWithFixedDelay(this::follow, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
            executor = started;
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "limiter-changes");
        thread.setDaemon(true);
        return thread;
    }

    /** Only ever on one thread: that of the start, then that of the executor. */
    private void follow() {
        try {
            rules.refresh();
            if (told != null) {
                logger.info("Changes of rules that other instances make are known again");
            }
            told = null;
        } catch (ChangeStoreException unavailable) {
            if (!unavailable.isSameAs(told)) {
                logger.warn(unavailable.getMessage());
            }
            told = unavailable;
        } catch (RuntimeException failure) {
            // An exception that leaves the task would end the schedule.
            logger.error("Changes of rules that other instances make cannot be followed; trying again", failure);
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** After Redis is connected, and before web servers. */
    @Override
    public int getPhase() {
        return 1;
    }
}
