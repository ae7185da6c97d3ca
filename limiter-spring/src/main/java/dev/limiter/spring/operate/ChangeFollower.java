package dev.limiter.spring.operate;

import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Applies stored changes of rules, including the ones of other instances, and ends expired ones: before the web server
 * accepts requests, and then four times a second.
 */
public final class ChangeFollower implements SmartLifecycle {

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final Log logger;
    private final BackgroundTask task = new BackgroundTask("limiter-changes", PERIOD, this::follow);

    /** The failure that was logged; null while changes are readable. */
    private @Nullable String logged;

    private volatile boolean running;

    public ChangeFollower(LiveRules rules) {
        this(rules, LogFactory.getLog(ChangeFollower.class));
    }

    ChangeFollower(LiveRules rules, Log logger) {
        this.rules = rules;
        this.logger = logger;
    }

    @Override
    public void start() {
        if (!running) {
            running = true;
            follow();
        }
        if (running) { // unless it was stopped in the meantime
            task.start();
        }
    }

    /** Runs on one thread at a time: first during startup, then in the task. */
    private void follow() {
        try {
            rules.refresh();
            if (logged != null) {
                logger.info("Changes of rules can be read again");
            }
            logged = null;
        } catch (ChangeStoreException unavailable) {
            String message = String.valueOf(unavailable.getMessage());
            if (running && !message.equals(logged)) {
                logger.warn(message + (unavailable.getCause() == null ? "" : " Cause: " + unavailable.getCause()));
            }
            logged = message;
        } catch (RuntimeException failure) {
            logger.error("Reading changes of rules failed; trying again", failure);
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

    /** Starts after Redis is connected, and before web servers. */
    @Override
    public int getPhase() {
        return 1;
    }
}
