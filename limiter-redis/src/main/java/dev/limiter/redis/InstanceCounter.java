package dev.limiter.redis;

import dev.limiter.failover.RemoteStorage;
import dev.limiter.failover.StorageUnavailableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Counts the instances that share a Redis. Each sends a heartbeat every two seconds, and counts the heartbeats of the
 * last half minute. The number is 1 until it is known, and the last known number while Redis is down. The largest of
 * the last ten counts is used: after an outage, or on a server that starts empty, the first instance counts only itself
 * until the others have reconnected.
 */
final class InstanceCounter implements RemoteStorage.Instances {

    private static final long HEARTBEAT_NANOS = Duration.ofSeconds(2).toNanos();

    /** This many counts take longer than the longest pause between two probes of a server that is down. */
    static final int RECENT_COUNTS = 10;

    /** A pause of the server delays at most half of the counts in use. */
    private static final long LATE_NANOS = RECENT_COUNTS / 2 * HEARTBEAT_NANOS;

    private static final long FORGOTTEN_AFTER_MICROS = Duration.ofSeconds(30).toNanos() / 1000;

    private final Redis redis;
    private final byte[] key;
    private final byte[] name = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
    private final LongSupplier nanoTime;
    private final int[] counts = new int[RECENT_COUNTS];
    private int counted;
    private volatile int known = 1;
    private volatile long next;
    private volatile boolean closed;

    InstanceCounter(Redis redis, String keyPrefix, LongSupplier nanoTime) {
        this.redis = redis;
        this.key = (keyPrefix + "instances").getBytes(StandardCharsets.UTF_8);
        this.nanoTime = nanoTime;
        this.next = nanoTime.getAsLong();
    }

    @Override
    public int known() {
        return known;
    }

    @Override
    public void sayHello() {
        long now = nanoTime.getAsLong();
        if (closed || now - next < 0) {
            return;
        }
        var unused = count();
    }

    @Override
    public CompletionStage<?> count() {
        long sentAt = nanoTime.getAsLong();
        next = sentAt + HEARTBEAT_NANOS;
        byte[] terms = new Arguments(8).number(FORGOTTEN_AFTER_MICROS).toArray();
        return redis.run(Scripts.INSTANCES, new byte[][] {key}, terms, name).thenAccept(reply -> {
            // calls that waited for a paused server would count only the instances that it has read so far
            if (nanoTime.getAsLong() - sentAt < LATE_NANOS) {
                counted((int) ByteBuffer.wrap(reply).getDouble());
            }
        });
    }

    private synchronized void counted(int count) {
        counts[counted++ % RECENT_COUNTS] = count;
        known = Math.max(Arrays.stream(counts).max().orElse(1), 1);
    }

    @Override
    public void sayGoodbye(Duration atMost) {
        closed = true;
        try {
            RedisErrors.TIMEOUTS.join(redis.run(Scripts.GOODBYE, new byte[][] {key}, name), atMost);
        } catch (StorageUnavailableException failure) {
            // the heartbeat expires
        }
    }
}
