package dev.limiter.benchmarks;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Measures the first decision on a new key in a full store: of used keys, keys at their limit, keys with held permits,
 * or all three; for {@code Tables new-keys}.
 */
public final class NewKeyCost {

    private static final int MAX_KEYS = 100_000;
    private static final int NEW_KEYS = 300_000;
    private static final Duration HOUR = Duration.ofHours(1);

    private static final Rule USED = Rule.of("used", Limit.tokenBucket(10, HOUR));
    private static final Rule EXHAUSTED = Rule.of("exhausted", Limit.fixedWindow(1, HOUR));
    private static final Rule HELD = Rule.of("held", Limit.concurrency(1));
    private static final Rule NEW = Rule.of("new", Limit.tokenBucket(10, HOUR));

    private NewKeyCost() {}

    public static void main(String[] args) {
        Map<String, BiConsumer<RateLimiters, Integer>> fills = new LinkedHashMap<>();
        fills.put("nothing", (limiters, i) -> {});
        fills.put("keys used once", (limiters, i) -> limiters.tryAcquire(USED, "key" + i));
        fills.put("keys at their limit", (limiters, i) -> limiters.tryAcquire(EXHAUSTED, "key" + i));
        fills.put("keys that hold a permit", (limiters, i) -> limiters.tryAcquire(HELD, "key" + i));
        fills.put(
                "a third of each",
                (limiters, i) ->
                        limiters.tryAcquire(List.of(USED, EXHAUSTED, HELD).get(i % 3), "key" + i));
        fills.forEach((name, fill) -> {
            measure(fill);
            print(name, measure(fill));
        });
    }

    private static void print(String name, long[] nanos) {
        double mean = Arrays.stream(nanos).average().orElse(0);
        Arrays.sort(nanos);
        new Measurement("new-keys", name, "median", nanos[NEW_KEYS / 2]).print();
        new Measurement("new-keys", name, "mean", mean).print();
        new Measurement("new-keys", name, "p99", nanos[NEW_KEYS / 100 * 99]).print();
    }

    /** In nanoseconds. */
    private static long[] measure(BiConsumer<RateLimiters, Integer> fill) {
        try (RateLimiters limiters = RateLimiters.builder().maxKeys(MAX_KEYS).build()) {
            for (int i = 0; i < MAX_KEYS + MAX_KEYS / 100; i++) {
                fill.accept(limiters, i);
            }
            List<String> keys = new ArrayList<>(NEW_KEYS);
            for (int i = 0; i < NEW_KEYS; i++) {
                keys.add("new" + i);
            }
            long[] nanos = new long[NEW_KEYS];
            for (int i = 0; i < NEW_KEYS; i++) {
                long begin = System.nanoTime();
                limiters.tryAcquire(NEW, keys.get(i));
                nanos[i] = System.nanoTime() - begin;
            }
            return nanos;
        }
    }
}
