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
import dev.limiter.redis.ahead.KnownRejections;
import dev.limiter.redis.script.Arguments;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.RemoteRules;
import dev.limiter.redis.script.ServerTime;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what every key used in Redis or Valkey (6.2 or later), so that all instances share it. Decided there by
 * scripts, by the clock of the server, in whole microseconds; all charges whose states lie together are one round trip.
 *
 * <p>Charges of a request whose states lie in different slots of a cluster are decided side by side, and given back
 * where others reject: in the meantime a request may be rejected that would not be otherwise, never the opposite. Such
 * requests do not wait for turns.
 *
 * <p>Thread-safe. Blocks for no longer than the {@linkplain Builder#timeout time-out}, and fails with {@link
 * StorageUnavailableException} if there is no answer by then; {@link #decideAsync} does not block. Every state expires.
 * Has no thread: the holds of concurrency limits are renewed, and calls that are not answered given up, by {@link
 * #cleanUp()}, which has to be called once a second or so.
 */
public final class RedisRateLimiterStorage implements RemoteStorage {

    /** Of a call, as long as a caller waits for a reader that is late: see {@link dev.limiter.failover.Timeouts}. */
    private static final int MOST_BUDGETS = 12;

    private final Redis redis;
    private final RightsReportingRedis background;
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
        this.background = new RightsReportingRedis(redis);
        this.held = new PermitRenewals(background, time);
        this.releases = new RetryingPermitReleaser(background, statistics, time, held, rejections, listeners);
        this.calls = new RedisDecider(redis, batcher, time, rules, held, rejections, releases, statistics);
    }

    /** Options of a storage in {@code redis}, which it closes when closed. */
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

    /** The server that has the slot of the charge's states. */
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
    public void onMissingRight(Consumer<@Nullable String> listener) {
        background.onMissingRight(listener);
    }

    @Override
    public RemoteStorage.Instances instances() {
        return new InstanceCounter(background, keyPrefix, System::nanoTime);
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
        // answers to earlier calls come earlier: the permits kept by then were taken from the deleted state
        byte[] argument = new Arguments(8).number(time.toTell()).toArray();
        RedisErrors.TIMEOUTS.join(
                redis.run(Scripts.RESET, remote.keys(key), argument).thenRun(() -> calls.forget(all)), timeout);
        listeners.released(rule.name(), key);
    }

    @Override
    public TimeSource clock() {
        return time.clock();
    }

    /** Hears of what is released or refunded here, not on other instances. */
    @Override
    public void onRelease(ReleaseListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeReleaseListener(ReleaseListener listener) {
        listeners.remove(listener);
    }

    /** The number of concurrency holds of this instance; states on the server are not counted. */
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

    /** Gives back all that was taken ahead. */
    void giveBackKept() {
        calls.giveBackKept(this::caughtUp);
    }

    /** Whether the server answers in time, if only that a right is missing: what was asked before is answered, too. */
    private boolean caughtUp() {
        try {
            RedisErrors.TIMEOUTS.join(probes.probe(""), timeout);
            return true;
        } catch (StorageUnavailableException failure) {
            return failure.reason() == StorageUnavailableException.Reason.LACKS_RIGHT;
        }
    }

    /** Options of a storage. Not thread-safe. */
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

        /** The beginning of the names of all keys, default {@code limiter:}; without braces, which decide the slot. */
        public Builder keyPrefix(String keyPrefix) {
            if (keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
                throw new IllegalArgumentException("keyPrefix is \"" + keyPrefix
                        + "\", but must not contain braces: what is between braces decides where keys are in a"
                        + " cluster");
            }
            this.keyPrefix = keyPrefix;
            return this;
        }

        /** How long a decision may take, positive, default 50 ms. */
        public Builder timeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("timeout is " + timeout + ", but must be positive");
            }
            this.timeout = timeout;
            return this;
        }

        /**
         * The share of a rule's limits, in percent from 0 to 50, that this instance takes ahead to decide on its own;
         * it is kept for that share of the window at most. Default 0. In no window are more used than the limit admits:
         * sliding windows and buckets count a permit for that time longer, and so bring that share less. Others may be
         * rejected what one has taken and does not use. Asked for each request, and in force from the next call on. Permits of 10,000 keys are kept at most. Not for concurrency
         * limits, and not where one request leaves after the other: these never take anything ahead.
         */
        public Builder lease(ToIntFunction<Rule> percent) {
            this.aheadPercent = percent;
            return this;
        }

        /**
         * Checks the strategies that decide in memory while Redis fails: Redis has the library's algorithms only.
         *
         * @throws IllegalArgumentException if one of the strategies is the application's own
         */
        public Builder strategies(RateLimiterFactory strategies) {
            for (Algorithm algorithm : Algorithm.values()) {
                if (strategies.supports(algorithm)) {
                    RateLimiterStrategy strategy = strategies.strategy(algorithm);
                    if (!strategy.getClass().getPackageName().equals("dev.limiter.algorithm")) {
                        throw new IllegalArgumentException(strategy.getClass().getName()
                                + " is the application's own strategy for " + algorithm
                                + ", which cannot decide in Redis. Remove it, or use storage: memory.");
                    }
                }
            }
            return this;
        }

        /** Where it counts what it does, for meters. */
        public Builder statistics(StorageStatistics statistics) {
            this.statistics = statistics;
            return this;
        }

        /**
         * Has the server go by this clock, in whole microseconds, instead of its own. For tests: all instances that
         * share states need the same clock, since those with different ones permit more than the limit together.
         */
        public Builder timeSource(TimeSource timeSource) {
            this.passedTime = timeSource;
            return this;
        }

        /** Has requests gather while answers come within that time. For tests. */
        Builder gather(Duration gather) {
            this.gather = gather;
            return this;
        }

        public RedisRateLimiterStorage build() {
            return new RedisRateLimiterStorage(this);
        }
    }
}
