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
 * How many instances share a Redis, as far as this one knows: each says every two seconds that it is there, and counts
 * those that did so in the last half a minute. 1 until it is known; the last known number while Redis is gone. The
 * largest of the last ten counts is believed: after an outage, or on a server that starts empty, the first instance
 * counts itself alone until the others have found the server again.
 */
final class InstanceCounter implements RemoteStorage.Instances {

    private static final long SAY_SO_EVERY_NANOS = Duration.ofSeconds(2).toNanos();

    /** So many counts take longer than the longest time between two probes of a server that was given up. */
    static final int BELIEVED = 10;

    /** No more answers than half of those that are believed come from one stop. */
    private static final long LATE_NANOS = BELIEVED / 2 * SAY_SO_EVERY_NANOS;

    private static final long FORGOTTEN_AFTER_MICROS = Duration.ofSeconds(30).toNanos() / 1000;

    private final Redis redis;
    private final byte[] key;
    private final byte[] name = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
    private final LongSupplier nanoTime;
    private final int[] counts = new int[BELIEVED];
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
        long asked = nanoTime.getAsLong();
        next = asked + SAY_SO_EVERY_NANOS;
        byte[] terms = new Arguments(8).number(FORGOTTEN_AFTER_MICROS).toArray();
        return redis.run(Scripts.INSTANCES, new byte[][] {key}, terms, name).thenAccept(reply -> {
            // those that waited for a server that stood still count who else it has read by then
            if (nanoTime.getAsLong() - asked < LATE_NANOS) {
                counted((int) ByteBuffer.wrap(reply).getDouble());
            }
        });
    }

    private synchronized void counted(int count) {
        counts[counted++ % BELIEVED] = count;
        known = Math.max(Arrays.stream(counts).max().orElse(1), 1);
    }

    @Override
    public void sayGoodbye(Duration atMost) {
        closed = true;
        try {
            RedisErrors.TIMEOUTS.join(redis.run(Scripts.GOODBYE, new byte[][] {key}, name), atMost);
        } catch (StorageUnavailableException failure) {
            // it is forgotten later
        }
    }
}
