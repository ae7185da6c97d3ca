package dev.limiter.benchmarks.redis;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import dev.limiter.redis.LettuceRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Sends a fixed number of requests per second over 1,000 keys, without waiting for earlier replies. No request is
 * rejected. Measures the replies per second, and how long after its due time each one came.
 *
 * <p>For {@code Tables open-loop}. The arguments are the number of rounds, requests per second, seconds, and the
 * milliseconds that the network adds to a round trip.
 */
public final class OpenLoop {

    private static final int SECONDS_TO_WARM_UP = 10;

    /** Latencies are counted in tenths of a millisecond. */
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
        int rounds = Integer.parseInt(arguments[0]);
        int perSecond = Integer.parseInt(arguments[1]);
        int seconds = Integer.parseInt(arguments[2]);
        int added = Integer.parseInt(arguments[3]);
        String row = added == 0 ? "loopback" : "a network that adds " + added + " ms";
        try (LocalRedis server = LocalRedis.start();
                DistantServer distant = DistantServer.of(server.port(), Duration.ofMillis(added))) {
            RedisClient client =
                    RedisClient.create(RedisURI.create("127.0.0.1", added > 0 ? distant.port() : server.port()));
            try (RateLimiters limiters =
                    Contenders.limiters(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), 0)) {
                new OpenLoop(perSecond, SECONDS_TO_WARM_UP, limiters).run(Optional.empty());
                for (int round = 0; round < rounds; round++) {
                    new OpenLoop(perSecond, seconds, limiters).run(Optional.of(row));
                }
            }
            client.shutdown();
        }
        System.exit(0);
    }

    /** Prints the measurements in the {@code row}, unless it is null. */
    private void run(Optional<String> row) {
        AtomicIntegerArray answered = new AtomicIntegerArray(seconds + 60);
        AtomicLongArray latencies = new AtomicLongArray(TENTHS);
        LongAdder failed = new LongAdder();
        long begin = System.nanoTime();
        int total = perSecond * seconds;
        for (int i = 0; i < total; i++) {
            long due = begin + i * 1_000_000_000L / perSecond;
            // in bursts of a millisecond, because a thread cannot sleep for less
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
        if (failed.sum() > 0) {
            throw new IllegalStateException(failed.sum() + " failed");
        }
        row.ifPresent(name -> print(name, answered, latencies, total));
    }

    private void print(String row, AtomicIntegerArray answered, AtomicLongArray latencies, int total) {
        int least = IntStream.range(0, seconds).map(answered::get).min().orElse(0);
        new Measurement("open-loop", row, "least in a second", least).print();
        new Measurement("open-loop", row, "p50", quantile(latencies, total, 0.5)).print();
        new Measurement("open-loop", row, "p90", quantile(latencies, total, 0.9)).print();
        new Measurement("open-loop", row, "p99", quantile(latencies, total, 0.99)).print();
        new Measurement("open-loop", row, "max", quantile(latencies, total, 1)).print();
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
