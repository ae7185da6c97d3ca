package dev.limiter.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The permits of concurrency limits that this instance holds. They are held for half a minute only, so that those of an
 * instance that is gone are free again, and renewed until they are released. Thread-safe.
 */
final class Leases {

    static final long MICROS = Duration.ofSeconds(30).toNanos() / 1000;
    private static final int NAME_LENGTH = 16;

    private static final long RENEWED_EVERY_NANOS = MICROS * 1000 / 3;

    private final Redis redis;
    private final ServerTime time;
    private final ConcurrentHashMap<ByteBuffer, Set<ByteBuffer>> members = new ConcurrentHashMap<>();
    private final byte[] instance = new byte[Long.BYTES];
    private final AtomicLong number = new AtomicLong();
    private volatile long renewed;

    Leases(Redis redis, ServerTime time) {
        this.redis = redis;
        this.time = time;
        this.renewed = time.clock().epochNanos();
        ThreadLocalRandom.current().nextBytes(instance);
    }

    /** A name that no other instance has. */
    byte[] newName() {
        return ByteBuffer.allocate(NAME_LENGTH)
                .put(instance)
                .putLong(number.incrementAndGet())
                .array();
    }

    void hold(byte[] key, long permits, byte[] lease) {
        members.compute(ByteBuffer.wrap(key), (name, held) -> {
            Set<ByteBuffer> all = held == null ? ConcurrentHashMap.newKeySet() : held;
            all.add(member(permits, lease));
            return all;
        });
    }

    void release(byte[] key, long permits, byte[] lease) {
        members.computeIfPresent(ByteBuffer.wrap(key), (name, held) -> {
            held.remove(member(permits, lease));
            return held.isEmpty() ? null : held;
        });
    }

    /** As {@code concurrency.lua} has it: seven bytes of permits, then the name. */
    private static ByteBuffer member(long permits, byte[] lease) {
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(permits).array();
        return ByteBuffer.allocate(7 + lease.length)
                .put(number, 1, 7)
                .put(lease)
                .flip();
    }

    long size() {
        return members.values().stream().mapToLong(Set::size).sum();
    }

    /** Renews all that is held, three times before it would end. */
    void renew() {
        long now = time.clock().epochNanos();
        if (now - renewed < RENEWED_EVERY_NANOS) {
            return;
        }
        renewed = now;
        byte[] terms = new Arguments(16).number(time.toTell()).number(MICROS).toArray();
        members.forEach((key, held) -> {
            List<byte[]> arguments = new ArrayList<>(held.size() + 1);
            arguments.add(terms);
            held.forEach(member -> arguments.add(member.array()));
            var unused = redis.run(Scripts.RENEW, new byte[][] {key.array()}, arguments.toArray(byte[][]::new));
        });
    }
}
