package dev.limiter.spring.operate;

import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Puts changes of rules in force that were made before the start or by other instances, and ends those that are over:
 * before the web server accepts requests, and four times a second from then on.
 */
public final class ChangeFollower implements SmartLifecycle {

    private static final Duration PERIOD = Duration.ofMillis(250);

    private final LiveRules rules;
    private final Log logger;
    private final BackgroundTask task = new BackgroundTask("limiter-changes", PERIOD, this::follow);

    /** The failure in the log; null while changes can be followed. */
    private @Nullable String told;

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
        if (running) { // unless it was stopped meanwhile
            task.start();
        }
    }

    /** Only ever on one thread: that of the start, then that of the task. */
    private void follow() {
        try {
            rules.refresh();
            if (told != null) {
                logger.info("Changes of rules are known again");
            }
            told = null;
        } catch (ChangeStoreException unavailable) {
            String message = String.valueOf(unavailable.getMessage());
            if (running && !message.equals(told)) {
                logger.warn(message + (unavailable.getCause() == null ? "" : " Cause: " + unavailable.getCause()));
            }
            told = message;
        } catch (RuntimeException failure) {
            logger.error("Changes of rules cannot be followed; trying again", failure);
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
