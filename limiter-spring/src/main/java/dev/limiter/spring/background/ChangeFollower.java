package dev.limiter.spring.background;

import dev.limiter.spring.operate.ChangeStoreException;
import dev.limiter.spring.operate.LiveRules;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Has changes of rules be in force that were made before the start or by other instances: before the web server accepts
 * requests, and four times a second from then on.
 */
public final class ChangeFollower implements SmartLifecycle {

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final boolean shared;
    private final Log logger;
    private final BackgroundTask task = new BackgroundTask("limiter-changes", PERIOD, this::follow);

    /** The failure in the log; null while changes can be followed. */
    private @Nullable ChangeStoreException told;

    private volatile boolean running;

    /** {@code shared}: whether others make changes while this instance runs. */
    public ChangeFollower(LiveRules rules, boolean shared) {
        this(rules, shared, LogFactory.getLog(ChangeFollower.class));
    }

    ChangeFollower(LiveRules rules, boolean shared, Log logger) {
        this.rules = rules;
        this.shared = shared;
        this.logger = logger;
    }

    @Override
    public void start() {
        if (running) {
            return;
        }
        running = true;
        follow();
        if (shared) {
            task.start();
        }
    }

    /** Only ever on one thread: that of the start, then that of the task. */
    private void follow() {
        try {
            rules.refresh();
            if (told != null) {
                logger.info("Changes of rules that other instances make are known again");
            }
            told = null;
        } catch (ChangeStoreException unavailable) {
            if (running && !unavailable.isSameAs(told)) {
                logger.warn(unavailable.getMessage());
            }
            told = unavailable;
        } catch (RuntimeException failure) {
            logger.error("Changes of rules that other instances make cannot be followed; trying again", failure);
        }
    }

    @Override
    public void stop() {
        running = false;
        task.stop();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After Redis is connected, and before web servers. */
    @Override
    public int getPhase() {
        return 1;
    }
}
