package dev.limiter.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Measures the heap of one of 1,000,000 keys without its string, including everything needed to find and evict it.
 * {@code Tables heap} uses a collector that counts objects, not regions.
 */
public final class HeapPerKey {

    private static final int KEYS = 1_000_000;

    private HeapPerKey() {}

    public static void main(String[] args) {
        Map<String, Function<String[], Object>> candidates = new LinkedHashMap<>();
        candidates.put("HashMap of AtomicLong", keys -> each(keys, key -> new AtomicLong()));
        candidates.put("**TOKEN_BUCKET**", keys -> limiter(keys, Limit.tokenBucket(100, Duration.ofHours(1))));
        candidates.put("**LEAKY_BUCKET**", keys -> limiter(keys, Limit.leakyBucket(100, Duration.ofHours(1))));
        candidates.put("**FIXED_WINDOW**", keys -> limiter(keys, Limit.fixedWindow(100, Duration.ofHours(1))));
        candidates.put(
                "**FIXED_WINDOW** that starts with its first request",
                keys -> limiter(
                        keys, Limit.fixedWindow(100, Duration.ofHours(1)).alignFirst()));
        candidates.put(
                "**SLIDING_WINDOW_COUNTER**, 10 buckets",
                keys -> limiter(keys, Limit.slidingWindowCounter(100, Duration.ofHours(1))));
        candidates.put(
                "**SLIDING_WINDOW_COUNTER**, 1 bucket",
                keys -> limiter(
                        keys,
                        Limit.slidingWindowCounter(100, Duration.ofHours(1)).buckets(1)));
        candidates.put(
                "**SLIDING_WINDOW_LOG**, 1 permit",
                keys -> limiter(keys, Limit.slidingWindowLog(100, Duration.ofHours(1))));
        candidates.put("**SLIDING_WINDOW_LOG**, 16 permits, one by one", HeapPerKey::logOf16);
        candidates.put("**SLIDING_WINDOW_LOG**, each of 1,000,000 permits of one key", HeapPerKey::longLog);
        candidates.put("**CONCURRENCY**, 1 permit held", keys -> limiter(keys, Limit.concurrency(100)));
        candidates.put("**two TOKEN_BUCKETs** on one rule", HeapPerKey::twoLimits);
        candidates.put("bucket4j in a HashMap", keys -> each(keys, key -> bucket()));
        candidates.put("bucket4j in Caffeine", HeapPerKey::bucketsInCaffeine);
        candidates.put("resilience4j in a HashMap", HeapPerKey::resilience4j);
        // the JVM allocates its own objects first
        measure(keys -> each(keys, key -> new AtomicLong()));
        candidates.forEach((name, fill) -> new Measurement("heap", name, "bytes", Math.rint(measure(fill))).print());
    }

    private static double measure(Function<String[], Object> fill) {
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "client-" + i;
            keys[i].hashCode();
        }
        long before = used();
        Object filled = fill.apply(keys);
        long after = used();
        Reference.reachabilityFence(filled);
        Reference.reachabilityFence(keys);
        return (after - before) / (double) KEYS;
    }

    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static Map<String, Object> each(String[] keys, Function<String, Object> value) {
        Map<String, Object> map = new HashMap<>();
        for (String key : keys) {
            map.put(key, value.apply(key));
        }
        return map;
    }

    private static Object limiter(String[] keys, Limit... limits) {
        RateLimiters limiters = RateLimiters.builder().maxKeys(2 * KEYS).build();
        ask(limiters, Rule.of("rule", limits), keys);
        return limiters;
    }

    private static void ask(RateLimiters limiters, Rule rule, String[] keys) {
        for (String key : keys) {
            limiters.tryAcquire(rule, key);
        }
    }

    private static Object logOf16(String[] keys) {
        RateLimiters limiters = RateLimiters.builder().maxKeys(2 * KEYS).build();
        for (int permit = 0; permit < 16; permit++) {
            ask(limiters, Rule.of("rule", Limit.slidingWindowLog(100, Duration.ofHours(1))), keys);
        }
        return limiters;
    }

    /** Takes as many permits as there are keys, each at another moment. */
    private static Object longLog(String[] keys) {
        AtomicLong clock = new AtomicLong(1_700_000_000_000_000_000L);
        RateLimiters limiters =
                RateLimiters.builder().timeSource(() -> clock.getAndAdd(1_000)).build();
        Rule rule = Rule.of("rule", Limit.slidingWindowLog(2 * KEYS, Duration.ofHours(1)));
        for (int permit = 0; permit < keys.length; permit++) {
            limiters.tryAcquire(rule, "key");
        }
        return limiters;
    }

    private static Object twoLimits(String[] keys) {
        return limiter(
                keys,
                Limit.tokenBucket(100, Duration.ofHours(1)).named("hourly"),
                Limit.tokenBucket(10, Duration.ofMinutes(5)).named("burst"));
    }

    private static Bucket bucket() {
        Bucket bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(100).refillGreedy(100, Duration.ofHours(1)))
                .build();
        bucket.tryConsume(1);
        return bucket;
    }

    private static Object bucketsInCaffeine(String[] keys) {
        Cache<String, Bucket> cache = Caffeine.newBuilder()
                .maximumSize(2 * KEYS)
                .expireAfterAccess(Duration.ofHours(1))
                .build();
        for (String key : keys) {
            cache.put(key, bucket());
        }
        return cache;
    }

    private static Object resilience4j(String[] keys) {
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(100)
                .limitRefreshPeriod(Duration.ofHours(1))
                .timeoutDuration(Duration.ZERO)
                .build();
        return each(keys, key -> {
            RateLimiter limiter = RateLimiter.of(key, config);
            limiter.acquirePermission();
            return limiter;
        });
    }
}
