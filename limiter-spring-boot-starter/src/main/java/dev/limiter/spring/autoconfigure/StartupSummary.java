package dev.limiter.spring.autoconfigure;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.Mode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Logs one line on startup: the number of rules, and the storage. */
final class StartupSummary implements SmartLifecycle {

    private static final Log logger = LogFactory.getLog(StartupSummary.class);

    private final LiveRules rules;
    private final DecidingStorage storage;
    private final @Nullable StorageAddress address;
    private volatile boolean running;

    /** The address of a remote storage, for the log. */
    record StorageAddress(String text) {}

    /** @param address null for a storage in memory */
    StartupSummary(LiveRules rules, DecidingStorage storage, @Nullable StorageAddress address) {
        this.rules = rules;
        this.storage = storage;
        this.address = address;
    }

    @Override
    public void start() {
        running = true;
        logger.info(text());
    }

    private String text() {
        long count = rules.all().stream()
                .filter(rule -> rule.live() == null)
                .map(RateLimitRule::name)
                .distinct()
                .count();
        Mode mode = rules.mode();
        return "Rate limits: " + count + (count == 1 ? " rule, " : " rules, ")
                + (mode == Mode.ENFORCE ? "" : "all in mode " + EnumText.of(mode) + ", ") + storage();
    }

    private String storage() {
        if (!(storage.storage() instanceof FailoverRateLimiterStorage remote)) {
            return "storage: " + storage.name();
        }
        int instances = remote.instances();
        return (address == null ? storage.name() : address.text())
                + (remote.isAvailable() ? "" : " (unavailable)")
                + ", " + instances + (instances == 1 ? " instance" : " instances");
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After {@link RedisWarmUp}, so that Redis is connected. */
    @Override
    public int getPhase() {
        return 1;
    }
}
