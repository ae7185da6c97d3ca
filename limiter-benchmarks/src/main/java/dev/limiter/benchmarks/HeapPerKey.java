package dev.limiter.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Prints the heap that one key takes at 1,000,000 keys, the key string left out, everything else that is needed to find
 * and to forget it included. {@code java -Xmx8g -cp benchmarks.jar dev.limiter.benchmarks.HeapPerKey}
 */
public final class HeapPerKey {

    private static final int KEYS = 1_000_000;

    private HeapPerKey() {}

    public static void main(String[] args) {
        Map<String, Function<String[], Object>> candidates = new LinkedHashMap<>();
        candidates.put("HashMap of AtomicLong", keys -> each(keys, key -> new AtomicLong()));
        candidates.put("limiter TOKEN_BUCKET", keys -> limiter(keys, Limit.tokenBucket(100, Duration.ofHours(1))));
        candidates.put("limiter LEAKY_BUCKET", keys -> limiter(keys, Limit.leakyBucket(100, Duration.ofHours(1))));
        candidates.put("limiter FIXED_WINDOW", keys -> limiter(keys, Limit.fixedWindow(100, Duration.ofHours(1))));
        candidates.put(
                "limiter FIXED_WINDOW, from first",
                keys -> limiter(
                        keys, Limit.fixedWindow(100, Duration.ofHours(1)).startingWithFirst()));
        candidates.put(
                "limiter SLIDING_WINDOW_COUNTER",
                keys -> limiter(keys, Limit.slidingWindowCounter(100, Duration.ofHours(1))));
        candidates.put(
                "limiter SLIDING_WINDOW_COUNTER, 1 bucket",
                keys -> limiter(
                        keys,
                        Limit.slidingWindowCounter(100, Duration.ofHours(1)).buckets(1)));
        candidates.put(
                "limiter SLIDING_WINDOW_LOG, 1 permit",
                keys -> limiter(keys, Limit.slidingWindowLog(100, Duration.ofHours(1))));
        candidates.put("limiter SLIDING_WINDOW_LOG, 16 permits", HeapPerKey::logOf16);
        candidates.put("limiter CONCURRENCY, 1 held", keys -> limiter(keys, Limit.concurrency(100)));
        candidates.put("limiter, two TOKEN_BUCKETs", HeapPerKey::twoLimits);
        candidates.put("bucket4j in a HashMap", keys -> each(keys, key -> bucket()));
        candidates.put("bucket4j in Caffeine", HeapPerKey::bucketsInCaffeine);
        candidates.put("resilience4j in a HashMap", HeapPerKey::resilience4j);
        candidates.forEach((name, fill) -> System.out.printf("%-40s %6.1f bytes%n", name, measure(fill)));
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
        if (filled.hashCode() == 0 && keys[0].isEmpty()) {
            throw new AssertionError("both must stay reachable until here");
        }
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
