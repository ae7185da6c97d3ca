package dev.limiter.benchmarks.redis;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.redis.LettuceRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Sends so many requests a second whether or not those before them are answered, over 1,000 keys of which nobody is
 * refused, and prints how many were answered in each second, and how long after they should have been sent.
 *
 * <p>{@code java -cp benchmarks.jar dev.limiter.benchmarks.redis.OpenLoop [requests per second] [seconds] [milliseconds
 * that the network adds to a round trip]}
 */
public final class OpenLoop {

    private static final int SECONDS_TO_WARM_UP = 10;

    /** Latencies are counted by tenths of a millisecond. */
    private static final int TENTHS = 100_000;

    private static final long TENTH = 100_000;

    private final int perSecond;
    private final int seconds;
    private final RateLimiters limiters;
    private final Rule rule = Rule.of("open", Limit.tokenBucket(10_000_000, Duration.ofSeconds(1)));
    private final String[] keys = Contenders.keys("");

    private OpenLoop(int perSecond, int seconds, RateLimiters limiters) {
        this.perSecond = perSecond;
        this.seconds = seconds;
        this.limiters = limiters;
    }

    public static void main(String[] arguments) throws Exception {
        int perSecond = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 45_000;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 12;
        int added = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0;
        try (LocalRedis server = LocalRedis.start();
                DistantServer distant = DistantServer.of(server.port(), Duration.ofMillis(added))) {
            RedisClient client =
                    RedisClient.create(RedisURI.create("127.0.0.1", added > 0 ? distant.port() : server.port()));
            try (RateLimiters limiters =
                    Contenders.limiters(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), 0)) {
                new OpenLoop(perSecond, SECONDS_TO_WARM_UP, limiters).run(false);
                new OpenLoop(perSecond, seconds, limiters).run(true);
            }
            client.shutdown();
        }
        System.exit(0);
    }

    private void run(boolean print) {
        AtomicIntegerArray answered = new AtomicIntegerArray(seconds + 60);
        AtomicLongArray latencies = new AtomicLongArray(TENTHS);
        LongAdder failed = new LongAdder();
        long begin = System.nanoTime();
        int total = perSecond * seconds;
        for (int i = 0; i < total; i++) {
            long due = begin + i * 1_000_000_000L / perSecond;
            // in bursts of a millisecond, as a thread cannot sleep for less
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(due + 1_000_000 - System.nanoTime());
            }
            limiters.tryAcquireAsync(rule, keys[i % keys.length]).whenComplete((decision, failure) -> {
                long now = System.nanoTime();
                if (failure != null || !decision.permitted()) {
                    failed.increment();
                }
                answered.incrementAndGet((int) Math.min((now - begin) / 1_000_000_000L, seconds + 59));
                latencies.incrementAndGet((int) Math.min((now - due) / TENTH, TENTHS - 1));
            });
        }
        while (IntStream.range(0, answered.length()).map(answered::get).sum() < total) {
            LockSupport.parkNanos(1_000_000);
        }
        if (print) {
            int[] each = IntStream.range(0, seconds).map(answered::get).toArray();
            System.out.printf(
                    "%,d a second: %s answered in each; the least %,d; failed %d%n",
                    perSecond, Arrays.toString(each), Arrays.stream(each).min().orElse(0), failed.sum());
            System.out.printf(
                    "milliseconds after it was due: p50 %.1f, p90 %.1f, p99 %.1f, most %.1f%n",
                    quantile(latencies, total, 0.5),
                    quantile(latencies, total, 0.9),
                    quantile(latencies, total, 0.99),
                    quantile(latencies, total, 1));
        }
    }

    private static double quantile(AtomicLongArray latencies, int total, double share) {
        long left = (long) Math.ceil(total * share);
        for (int i = 0; i < latencies.length(); i++) {
            left -= latencies.get(i);
            if (left <= 0) {
                return (i + 1) / 10.0;
            }
        }
        return latencies.length() / 10.0;
    }
}
