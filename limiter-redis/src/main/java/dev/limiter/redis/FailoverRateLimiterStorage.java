package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides in Redis; while that fails, as each rule says: in memory, with this instance's share of what was left of the
 * limit; or everything is permitted, or nothing. Decisions tell when they were made so ({@link Decision#onFailure()}).
 *
 * <p>A decision takes no longer than the time-out. After a few failures in a row a server is not asked any more until it
 * works again, so that an outage costs nothing; in a cluster that is each server by itself. What was permitted in memory is
 * charged in Redis then.
 *
 * <p>Thread-safe. Has no thread: {@link #cleanUp()} has to be called once a second or so.
 */
public final class FailoverRateLimiterStorage implements RateLimiterStorage {

    private final RedisRateLimiterStorage redis;
    private final RateLimiterStorage local;
    private final IntSupplier instances;
    private final @Nullable Instances counted;
    private final RemoteHealth health;
    private final OutageUse outageUse;
    private final OutageDecider outage;
    private final AskedStorage asked;

    private FailoverRateLimiterStorage(Builder builder) {
        this.redis = builder.redis;
        this.local = builder.local;
        this.counted =
                builder.instances == 0 ? new Instances(redis.background(), redis.keyPrefix(), System::nanoTime) : null;
        int configured = builder.instances;
        this.instances = counted == null ? () -> configured : counted::known;
        this.outageUse = new OutageUse(local, redis, System::nanoTime);
        this.health = new RemoteHealth(redis, builder.listener, new Settlements(outageUse));
        this.outage = new OutageDecider(local, outageUse, builder.onFailure, instances, System::nanoTime);
        this.asked = new AskedStorage(redis, outageUse, builder.listener);
        redis.onStanding(outageUse);
        redis.background().onMissingRight(builder.listener::lacksRight);
    }

    /**
     * @param redis where decisions are made, and closed when this is
     * @param local where they are made otherwise; not closed
     */
    public static Builder builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
        return new Builder(redis, local);
    }

    /** Whether Redis is asked; in a cluster, whether all servers are. */
    public boolean isAvailable() {
        return health.isAvailable();
    }

    /** How many instances share the limits, as far as this one knows; 1 until it is known. */
    public int instances() {
        return instances.getAsInt();
    }

    /**
     * Waits until the connection is there, the scripts of the rules are loaded, and decisions are fast, as long as this JVM
     * may still be slow: to be called before requests come. Gives up at once where Redis cannot be reached. Blocks.
     */
    public void warmUp(Collection<Rule> rules, Duration atMost) {
        new WarmUp(redis, atMost).run(rules);
    }

    @Override
    public Decision decide(List<Charge> charges) {
        List<Charge> merged = merged(charges);
        if (!health.isOne(merged)) {
            return decideLater(merged).join();
        }
        NodeHealth node = health.of(merged.get(0));
        if (node.isOpen()) {
            node.probe();
            return Decision.allOf(outage.decide(merged));
        }
        try {
            return asked.decide(merged, node);
        } catch (RedisUnavailableException failure) {
            return Decision.allOf(outage.decide(merged));
        } catch (BrokenStateException failure) {
            return merged.size() == 1
                    ? Decision.allOf(outage.decide(merged))
                    : decideLater(merged).join();
        }
    }

    @Override
    public CompletableFuture<Decision> decideAsync(List<Charge> charges) {
        return decideLater(merged(charges));
    }

    private static List<Charge> merged(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("There is no charge to decide");
        }
        return charges.size() == 1 ? charges : Charge.merged(charges);
    }

    private CompletableFuture<Decision> decideLater(List<Charge> merged) {
        return Timeouts.orGiveBack(new SplitRequest(merged, health, asked, outage).decide());
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public Decision peek(Rule rule, String key) {
        if (!health.of(rule.charge(key)).isOpen()) {
            try {
                return redis.peek(rule, key);
            } catch (RedisUnavailableException | BrokenStateException failure) {
                // as for a decision, below
            }
        }
        return outage.peek(rule, key);
    }

    @Override
    public void reset(Rule rule, String key) {
        local.reset(rule, key);
        outageUse.forget(rule, key);
        redis.reset(rule, key);
    }

    @Override
    public TimeSource clock() {
        return redis.clock();
    }

    @Override
    public void onRelease(ReleaseListener listener) {
        redis.onRelease(listener);
        local.onRelease(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        redis.removeReleaseListener(listener);
        local.removeReleaseListener(listener);
    }

    /** As {@link RedisRateLimiterStorage#size()}, and the states that were decided on in memory. */
    @Override
    public long size() {
        return redis.size() + local.size();
    }

    @Override
    public void cleanUp() {
        local.cleanUp();
        health.cleanUp();
        if (health.isGone()) {
            return;
        }
        health.settle();
        redis.cleanUp();
        if (counted != null) {
            counted.sayHello();
        }
    }

    /** Has other instances count on without this one, if Redis answers in time. */
    @Override
    public void close() {
        if (counted != null && !health.isGone()) {
            counted.sayGoodbye(redis.timeout());
        }
        redis.close();
    }

    /** Options. Not thread-safe. */
    public static final class Builder {

        private final RedisRateLimiterStorage redis;
        private final RateLimiterStorage local;
        private Function<Rule, OnFailure> onFailure = rule -> OnFailure.LOCAL;
        private StorageListener listener = new StorageListener() {};
        private int instances;

        private Builder(RedisRateLimiterStorage redis, RateLimiterStorage local) {
            this.redis = redis;
            this.local = local;
        }

        /** What each rule does while Redis fails, default {@link OnFailure#LOCAL}. Asked for each decision then. */
        public Builder onFailure(Function<Rule, OnFailure> onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Who is told how Redis fares. */
        public Builder listener(StorageListener listener) {
            this.listener = listener;
            return this;
        }

        /** By how many instances a limit is divided in memory, from 1; by default they are counted through Redis. */
        public Builder instances(int instances) {
            if (instances < 1) {
                throw new IllegalArgumentException("instances is " + instances + ", but must be 1 or more");
            }
            this.instances = instances;
            return this;
        }

        public FailoverRateLimiterStorage build() {
            return new FailoverRateLimiterStorage(this);
        }
    }
}
