package dev.limiter.benchmarks;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRuleManager;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Measures one decision for a key: rule and key in, "permitted?" and "how many are left?" out. The other libraries
 * do the same. {@code hashLookup} is a base line: find a key, read the clock, swap a number. It is not a lower
 * bound: with several threads on one key, the order of these steps decides how many races are lost. {@code
 * hashLookupAfterClock} has the better order.
 *
 * <p>The young generation is small, because a large one would measure page faults.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms6g", "-Xmx6g", "-Xmn256m", "-XX:+AlwaysPreTouch"})
@State(Scope.Benchmark)
public class DecisionBenchmark {

    /** Whether all decisions are permitted, or all rejected. */
    @Param({"permitted", "rejected"})
    public String outcome = "permitted";

    /** One compare-and-set, alone and after a hash look-up. */
    @State(Scope.Benchmark)
    public static class LookUp {

        final AtomicLong alone = new AtomicLong();
        final Map<String, AtomicLong> byKey = new HashMap<>();

        @Setup
        public void fill(Keys keys) {
            for (String key : keys.all) {
                byKey.put(key, new AtomicLong());
            }
        }

        static long decide(AtomicLong state) {
            while (true) {
                long before = state.get();
                long now = System.nanoTime();
                if (state.compareAndSet(before, Math.max(before, now))) {
                    return now;
                }
            }
        }

        /** Reads the clock first, as decisions do, which loses fewer races. */
        static long decide(AtomicLong state, long now) {
            while (true) {
                long before = state.get();
                if (state.compareAndSet(before, Math.max(before, now))) {
                    return now;
                }
                now = System.nanoTime();
            }
        }
    }

    @Benchmark
    public long compareAndSet(LookUp lookUp) {
        return LookUp.decide(lookUp.alone);
    }

    @Benchmark
    public long hashLookup(LookUp lookUp, Keys keys, Keys.Cursor cursor) {
        return LookUp.decide(lookUp.byKey.get(cursor.next(keys)));
    }

    /** The steps of {@link #hashLookup} with the clock first: threads on one key disturb each other less. */
    @Benchmark
    public long hashLookupAfterClock(LookUp lookUp, Keys keys, Keys.Cursor cursor) {
        long now = System.nanoTime();
        return LookUp.decide(lookUp.byKey.get(cursor.next(keys)), now);
    }

    /** Limiter through its public API. All keys exist before, as for the other libraries. */
    @State(Scope.Benchmark)
    public static class Ours {

        static final Duration MAX_WAIT = Duration.ofMillis(1);

        RateLimiters limiters = RateLimiters.builder().build();
        Rule tokenBucket = Rule.of("none", Limit.tokenBucket(1, Duration.ofSeconds(1)));
        Rule leakyBucket = tokenBucket;
        Rule fixedWindow = tokenBucket;
        Rule slidingWindowCounter = tokenBucket;
        Rule slidingWindowLog = tokenBucket;
        Rule twoLimits = tokenBucket;

        @Setup
        public void fill(DecisionBenchmark benchmark, Keys keys, BenchmarkParams params) {
            fill(benchmark, keys, params.getBenchmark());
        }

        /** Creates the keys of the rule that the benchmark uses. */
        void fill(DecisionBenchmark benchmark, Keys keys, String method) {
            limiters = RateLimiters.builder().maxKeys(100_000_000).build();
            boolean permits = benchmark.outcome.equals("permitted");
            // the window is long enough that no key expires during the run
            long limit = permits ? 500_000_000 : 1;
            Duration window = permits ? Limit.MAX_WINDOW : Duration.ofDays(300);
            tokenBucket = Rule.of("tokenBucket", Limit.tokenBucket(limit, window));
            leakyBucket = Rule.of("leakyBucket", Limit.leakyBucket(limit, window));
            fixedWindow = Rule.of("fixedWindow", Limit.fixedWindow(limit, window));
            slidingWindowCounter = Rule.of("slidingWindowCounter", Limit.slidingWindowCounter(limit, window));
            // a log stores all permits of its window; with one key that is many per millisecond
            Duration logged = keys.keys == 1 ? Duration.ofMillis(1) : Duration.ofSeconds(1);
            slidingWindowLog = Rule.of("slidingWindowLog", Limit.slidingWindowLog(limit, permits ? logged : window));
            twoLimits = Rule.of(
                    "twoLimits",
                    Limit.tokenBucket(limit, window).named("a"),
                    Limit.tokenBucket(2 * limit, window).burst(limit).named("b"));
            rule(method).ifPresent(rule -> {
                for (String key : keys.all) {
                    limiters.tryAcquire(rule, key);
                }
            });
            // moves keys and cells next to each other, as garbage collections sooner or later do
            System.gc();
        }

        /** Returns the rule for a benchmark method; empty for the other libraries. */
        Optional<Rule> rule(String method) {
            String name = method.toLowerCase(Locale.ROOT);
            return Stream.of(tokenBucket, leakyBucket, fixedWindow, slidingWindowCounter, slidingWindowLog, twoLimits)
                    .filter(rule -> name.contains("limiter" + rule.name().toLowerCase(Locale.ROOT)))
                    .findFirst();
        }
    }

    private static long ours(Ours ours, Rule rule, Keys keys, Keys.Cursor cursor) {
        Decision decision = ours.limiters.tryAcquire(rule, cursor.next(keys));
        return decision.permitted() ? decision.remaining() : -decision.remaining();
    }

    @Benchmark
    public long limiterTokenBucket(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.tokenBucket, keys, cursor);
    }

    /** Returns only true or false, as Guava and Sentinel do. */
    @Benchmark
    public boolean limiterTokenBucketOnlyWhether(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours.limiters.tryTake(ours.tokenBucket, cursor.next(keys));
    }

    /** {@link #limiterTokenBucket} with {@code acquire}, for a caller that could wait but need not. */
    @Benchmark
    public long limiterTokenBucketOrWait(Ours ours, Keys keys, Keys.Cursor cursor) {
        Decision decision = ours.limiters.acquire(ours.tokenBucket, cursor.next(keys), Ours.MAX_WAIT);
        return decision.permitted() ? decision.remaining() : -decision.remaining();
    }

    @Benchmark
    public long limiterLeakyBucket(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.leakyBucket, keys, cursor);
    }

    @Benchmark
    public long limiterFixedWindow(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.fixedWindow, keys, cursor);
    }

    @Benchmark
    public long limiterSlidingWindowCounter(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.slidingWindowCounter, keys, cursor);
    }

    @Benchmark
    public long limiterSlidingWindowLog(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.slidingWindowLog, keys, cursor);
    }

    @Benchmark
    public long limiterTwoLimits(Ours ours, Keys keys, Keys.Cursor cursor) {
        return ours(ours, ours.twoLimits, keys, cursor);
    }

    /**
     * bucket4j with a bucket per key, in a HashMap that was filled before, and in a Caffeine cache that could
     * evict.
     */
    @State(Scope.Benchmark)
    public static class Bucket4j {

        final Map<String, Bucket> byKey = new HashMap<>();
        final Cache<String, Bucket> cache =
                Caffeine.newBuilder().maximumSize(100_000_000).build();
        private boolean permits;

        @Setup
        public void fill(DecisionBenchmark benchmark, Keys keys) {
            permits = benchmark.outcome.equals("permitted");
            for (String key : keys.all) {
                byKey.put(key, create());
            }
        }

        Bucket create() {
            Bucket bucket = Bucket.builder()
                    .addLimit(limit -> limit.capacity(permits ? 1_000_000_000 : 1)
                            .refillGreedy(
                                    permits ? 1_000_000_000 : 1,
                                    permits ? Duration.ofSeconds(1) : Duration.ofDays(300)))
                    .withNanosecondPrecision()
                    .build();
            if (!permits) {
                bucket.tryConsume(1);
            }
            return bucket;
        }
    }

    private static long probe(Bucket bucket) {
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        return probe.isConsumed() ? probe.getRemainingTokens() : -probe.getRemainingTokens();
    }

    @Benchmark
    public long bucket4jInHashMap(Bucket4j peer, Keys keys, Keys.Cursor cursor) {
        return probe(peer.byKey.get(cursor.next(keys)));
    }

    @Benchmark
    public long bucket4jInCaffeine(Bucket4j peer, Keys keys, Keys.Cursor cursor) {
        return probe(peer.cache.get(cursor.next(keys), key -> peer.create()));
    }

    /** resilience4j with a limiter per key, in a HashMap that was filled before. */
    @State(Scope.Benchmark)
    public static class Resilience4j {

        final Map<String, RateLimiter> byKey = new HashMap<>();

        @Setup
        public void fill(DecisionBenchmark benchmark, Keys keys) {
            boolean permits = benchmark.outcome.equals("permitted");
            RateLimiterConfig config = RateLimiterConfig.custom()
                    .limitForPeriod(permits ? 1_000_000_000 : 1)
                    .limitRefreshPeriod(permits ? Duration.ofSeconds(1) : Duration.ofDays(300))
                    .timeoutDuration(Duration.ZERO)
                    .build();
            for (String key : keys.all) {
                byKey.put(key, RateLimiter.of(key, config));
            }
        }
    }

    @Benchmark
    public long resilience4j(Resilience4j peer, Keys keys, Keys.Cursor cursor) {
        RateLimiter limiter = peer.byKey.get(cursor.next(keys));
        return limiter.acquirePermission() ? limiter.getMetrics().getAvailablePermissions() : 0;
    }

    /** Returns only true or false; the remaining permits need a second reading of the state. */
    @Benchmark
    public boolean resilience4jOnlyWhether(Resilience4j peer, Keys keys, Keys.Cursor cursor) {
        return peer.byKey.get(cursor.next(keys)).acquirePermission();
    }

    /** Guava with a limiter per key; it does not report the remaining permits. */
    @State(Scope.Benchmark)
    @SuppressWarnings("UnstableApiUsage")
    public static class Guava {

        final Map<String, com.google.common.util.concurrent.RateLimiter> byKey = new HashMap<>();

        @Setup
        public void fill(DecisionBenchmark benchmark, Keys keys) {
            double rate = benchmark.outcome.equals("permitted") ? 1e9 : 1e-7;
            for (String key : keys.all) {
                com.google.common.util.concurrent.RateLimiter limiter =
                        com.google.common.util.concurrent.RateLimiter.create(rate);
                byKey.put(key, limiter);
                limiter.tryAcquire();
            }
        }
    }

    @Benchmark
    @SuppressWarnings("UnstableApiUsage")
    public boolean guava(Guava peer, Keys keys, Keys.Cursor cursor) {
        return peer.byKey.get(cursor.next(keys)).tryAcquire();
    }

    /** Sentinel with one resource and a limit per hot parameter; it does not report the remaining permits. */
    @State(Scope.Benchmark)
    public static class Sentinel {

        static final String RESOURCE = "benchmark";

        @Setup
        public void load(DecisionBenchmark benchmark) {
            boolean permits = benchmark.outcome.equals("permitted");
            ParamFlowRule rule = new ParamFlowRule(RESOURCE)
                    .setParamIdx(0)
                    .setGrade(RuleConstant.FLOW_GRADE_QPS)
                    .setCount(permits ? 1_000_000_000 : 1)
                    .setDurationInSec(permits ? 1 : 30 * 24 * 3600);
            ParamFlowRuleManager.loadRules(List.of(rule));
        }

        @TearDown
        public void unload() {
            ParamFlowRuleManager.loadRules(List.of());
        }
    }

    @Benchmark
    public boolean sentinel(Sentinel peer, Keys keys, Keys.Cursor cursor) {
        Entry entry = null;
        String key = cursor.next(keys);
        try {
            entry = SphU.entry(Sentinel.RESOURCE, EntryType.IN, 1, key);
            return true;
        } catch (BlockException rejected) {
            return false;
        } finally {
            if (entry != null) {
                entry.exit(1, key);
            }
        }
    }
}
