package dev.limiter.redis;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.Budget;
import dev.limiter.failover.RemoteStorage;
import dev.limiter.failover.StorageUnavailableException;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Stores the state of all keys in Redis or Valkey (6.2 or later), so that all instances share it. Scripts decide, on
 * the clock of the server, in whole microseconds. All charges with states in the same slot take one round trip.
 *
 * <p>Charges of a request in different slots of a cluster are decided in parallel, and returned if others reject. In
 * the meantime another request may be rejected unnecessarily, but never permitted wrongly. Such requests do not wait
 * for turns.
 *
 * <p>Thread-safe. Blocks for at most the {@linkplain Builder#timeout timeout}, then throws {@link
 * StorageUnavailableException}; {@link #decideAsync} does not block. Every state expires. Starts no threads: call
 * {@link #cleanUp()} about once a second to renew concurrency permits and abandon calls without a reply.
 */
public final class RedisRateLimiterStorage implements RemoteStorage {

    /**
     * In timeouts of a call: the longest that a caller waits if the reader is late; see {@link
     * dev.limiter.failover.Timeouts}.
     */
    private static final int MOST_BUDGETS = 12;

    private final Redis redis;
    private final String keyPrefix;
    private final Duration timeout;
    private final ServerTime time;
    private final NodeProbe probes;
    private final RequestBatcher batcher;
    private final PermitRenewals held;
    private final RetryingPermitReleaser releases;
    private final KnownRejections rejections = new KnownRejections();
    private final RemoteRules rules;
    private final RedisDecider calls;
    private final ReleaseListeners listeners = new ReleaseListeners();

    private RedisRateLimiterStorage(Builder builder) {
        this.redis = builder.redis;
        this.keyPrefix = builder.keyPrefix;
        this.timeout = builder.timeout;
        this.rules = new RemoteRules(
                builder.aheadPercent,
                (rule, percent) -> new RemoteRule(rule, keyPrefix, PermitRenewals.MICROS, percent));
        this.time = new ServerTime(builder.passedTime);
        StorageStatistics statistics = builder.statistics;
        this.batcher = new RequestBatcher(redis, builder.gather, statistics);
        this.probes = new NodeProbe(redis, keyPrefix);
        this.held = new PermitRenewals(redis, time);
        this.releases = new RetryingPermitReleaser(redis, statistics, time, held, rejections, listeners);
        this.calls = new RedisDecider(redis, batcher, time, rules, held, rejections, releases, statistics);
    }

    /** Returns a builder of a storage in {@code redis}, which the storage closes when closed. */
    public static Builder builder(Redis redis) {
        return new Builder(redis);
    }

    Redis redis() {
        return redis;
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public RuntimeException failure(Throwable failure) {
        return RedisErrors.of(failure);
    }

    /** Returns the server that has the slot of the charge's states. */
    @Override
    public String node(Charge charge) {
        return redis.isClustered()
                ? redis.node(redis.slot(rules.of(charge.rule()).keys(charge.key())[0]))
                : "";
    }

    @Override
    public boolean hasNode(String node) {
        return !redis.isClustered() || probes.hasSlots(node);
    }

    @Override
    public CompletionStage<?> probe(String node) {
        return probes.probe(node);
    }

    @Override
    public CompletionStage<?> answersRead(String node) {
        return probes.answersRead(node);
    }

    @Override
    public void reconnect() {
        redis.reconnect();
    }

    @Override
    public CompletionStage<?> connected() {
        return redis.connected();
    }

    @Override
    public RemoteStorage.Instances instances() {
        return new InstanceCounter(redis, keyPrefix, System::nanoTime);
    }

    @Override
    public CompletableFuture<Decision> ask(List<Charge> charges) {
        return calls.ask(charges);
    }

    @Override
    public @Nullable Decision known(List<Charge> charges) {
        return calls.known(charges);
    }

    @Override
    public @Nullable Decision rejected(List<Charge> charges) {
        return calls.rejected(charges);
    }

    @Override
    public CompletableFuture<Decision> peekAsync(List<Charge> charges) {
        return RedisErrors.TIMEOUTS.within(calls.peek(charges), Budget.of(timeout));
    }

    @Override
    public void reset(Rule rule, String key) {
        RemoteRule remote = rules.of(rule);
        Charge all = rule.charge(key);
        rejections.forget(all);
        calls.giveBackKept(rule.name(), key);
        // replies come in order: leases that exist by then were taken from the deleted state
        byte[] argument = new Arguments(8).number(time.argument()).toArray();
        RedisErrors.TIMEOUTS.join(
                redis.run(Scripts.RESET, remote.keys(key), argument).thenRun(() -> calls.forget(all)), timeout);
        listeners.released(rule.name(), key);
    }

    @Override
    public TimeSource clock() {
        return time.clock();
    }

    /** Registers a listener for releases and refunds of this instance, but not of others. */
    @Override
    public void onRelease(ReleaseListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        listeners.remove(listener);
    }

    /** Returns the number of concurrency permits held by this instance; states on the server are not counted. */
    @Override
    public long size() {
        return held.size();
    }

    @Override
    public void cleanUp() {
        batcher.abandon(timeout.multipliedBy(MOST_BUDGETS));
        held.renew();
        calls.cleanUp(this::caughtUp);
    }

    @Override
    public void close() {
        giveBackKept();
        releases.close();
        redis.close();
    }

    /** Refunds all leases. */
    void giveBackKept() {
        calls.giveBackKept(this::caughtUp);
    }

    /**
     * Waits until the server has replied to earlier calls; returns false if it does not within the timeout. A missing
     * permission is a reply.
     */
    private boolean caughtUp() {
        try {
            RedisErrors.TIMEOUTS.join(probes.probe(""), timeout);
            return true;
        } catch (StorageUnavailableException failure) {
            return failure.reason() == StorageUnavailableException.Reason.LACKS_RIGHT;
        }
    }

    /** Configures a storage. Not thread-safe. */
    public static final class Builder {

        private final Redis redis;
        private String keyPrefix = "limiter:";
        private Duration timeout = Duration.ofMillis(50);
        private @Nullable TimeSource passedTime;
        private ToIntFunction<Rule> aheadPercent = rule -> 0;
        private Duration gather = RequestBatcher.GATHER;
        private StorageStatistics statistics = new StorageStatistics();

        private Builder(Redis redis) {
            this.redis = redis;
        }

        /**
         * Sets the prefix of all keys; defaults to {@code limiter:}. Braces are not allowed, because they determine the
         * slot.
         */
        public Builder keyPrefix(String keyPrefix) {
            if (keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
                throw new IllegalArgumentException("keyPrefix is \"" + keyPrefix
                        + "\", but must not contain braces, because they determine the slot of keys in a"
                        + " cluster");
            }
            this.keyPrefix = keyPrefix;
            return this;
        }

        /** Sets how long a decision may take; positive, defaults to 50 ms. */
        public Builder timeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout is " + timeout + ", but must be positive");
            }
            this.timeout = timeout;
            return this;
        }

        /**
         * Sets the percentage of a rule's limits, from 0 to 50, that this instance leases to decide locally; defaults
         * to 0. A lease lasts for at most that percentage of the window.
         *
         * <p>No window has more permits used than the limit. But sliding windows and buckets count a permit for that
         * much longer, so they grant less by that percentage. Other instances may be rejected while leased permits are
         * unused.
         *
         * <p>The function is called for each request, and a change applies from the next call to Redis. At most 10,000
         * keys have leases. Concurrency limits and evenly spaced limits are never leased.
         */
        public Builder lease(ToIntFunction<Rule> percent) {
            this.aheadPercent = percent;
            return this;
        }

        /**
         * Checks that the strategies are the built-in ones, because Redis has no others; they decide in memory while
         * Redis is down.
         *
         * @throws IllegalArgumentException if one of the strategies is the application's own
         */
        public Builder strategies(RateLimiterFactory strategies) {
            for (Algorithm algorithm : Algorithm.values()) {
                if (strategies.supports(algorithm)) {
                    RateLimiterStrategy strategy = strategies.strategy(algorithm);
                    if (!strategy.getClass().getPackageName().equals("dev.limiter.algorithm")) {
                        throw new IllegalArgumentException(strategy.getClass().getName()
                                + " is a custom strategy for " + algorithm
                                + ", which cannot decide in Redis. Remove it, or use storage: memory.");
                    }
                }
            }
            return this;
        }

        /** Sets the object that counts calls, for metrics. */
        public Builder statistics(StorageStatistics statistics) {
            this.statistics = statistics;
            return this;
        }

        /**
         * Makes the server use this clock, in whole microseconds, instead of its own, for tests. All instances that
         * share states need the same clock: with different ones they permit more than the limit.
         */
        public Builder timeSource(TimeSource timeSource) {
            this.passedTime = timeSource;
            return this;
        }

        /** Sets how recent calls must be for requests to batch behind them, for tests. */
        Builder gather(Duration gather) {
            this.gather = gather;
            return this;
        }

        public RedisRateLimiterStorage build() {
            return new RedisRateLimiterStorage(this);
        }
    }
}
