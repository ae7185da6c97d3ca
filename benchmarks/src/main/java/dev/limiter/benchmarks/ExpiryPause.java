package dev.limiter.benchmarks;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.benchmarks.harness.Measurement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures single decisions while 10,000,000 keys expire: on known keys and on new ones, which do some of the
 * expiry. Compares them with decisions while nothing expires; pauses of the machine affect both. {@code Tables
 * expiry} uses a collector without long pauses.
 */
public final class ExpiryPause {

    private static final int KEYS = 10_000_000;
    private static final int DECISIONS = 4_000_000;

    private ExpiryPause() {}

    public static void main(String[] args) throws InterruptedException {
        AtomicLong ahead = new AtomicLong();
        TimeSource clock = () -> TimeSource.system().epochNanos() + ahead.get();
        RateLimiters limiters =
                RateLimiters.builder().maxKeys(4 * KEYS).timeSource(clock).build();
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(10)));
        Rule known = Rule.of("known", Limit.tokenBucket(1_000_000_000, Duration.ofSeconds(1)));
        print("10,000,000 new keys, growing", decide(limiters, rule, "client-", KEYS));
        print("a known key, nothing to expire", decide(limiters, known, null, DECISIONS));
        print("new keys, nothing to expire", decide(limiters, rule, "other-", DECISIONS));
        ahead.set(Duration.ofHours(2).toNanos());
        Thread cleaner = new Thread(limiters.storage()::cleanUp, "cleaner");
        cleaner.start();
        print("a known key, while they expire", decide(limiters, known, null, DECISIONS));
        print("new keys, while they expire", decide(limiters, rule, "third-", DECISIONS));
        cleaner.join();
    }

    private static long[] decide(RateLimiters limiters, Rule rule, String newKeys, int count) {
        long[] nanos = new long[count];
        for (int i = 0; i < count; i++) {
            String key = newKeys == null ? "known" : newKeys + i;
            long start = System.nanoTime();
            limiters.tryAcquire(rule, key);
            nanos[i] = System.nanoTime() - start;
        }
        return nanos;
    }

    private static void print(String what, long[] nanos) {
        Arrays.sort(nanos);
        new Measurement("expiry", what, "median", at(nanos, 0.5)).print();
        new Measurement("expiry", what, "p99", at(nanos, 0.99)).print();
        new Measurement("expiry", what, "p99.99", at(nanos, 0.9999) / 1e3).print();
        new Measurement("expiry", what, "max", nanos[nanos.length - 1] / 1e6).print();
    }

    private static long at(long[] sorted, double share) {
        return sorted[(int) (sorted.length * share)];
    }
}
