package dev.limiter.redis;

import dev.limiter.redis.script.Arguments;
import dev.limiter.redis.script.ServerTime;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The permits of concurrency limits that this instance holds. They are held for half a minute only, so that those of an
 * instance that is gone are free again, and renewed until they are released. Thread-safe.
 */
final class PermitRenewals {

    static final long MICROS = Duration.ofSeconds(30).toNanos() / 1000;
    private static final int NAME_LENGTH = 16;

    /** The time between two renewals of a hold, less up to half of it: so not all are renewed at the same time. */
    private static final long RENEWED_EVERY_NANOS = MICROS * 1000 / 3;

    /** Holds of one key that are renewed in one call: a script blocks the server. */
    private static final int OF_A_CALL = 200;

    /** Calls that are under way at once. */
    private static final int CALLS = 32;

    private final Redis redis;
    private final ServerTime time;
    private final ConcurrentHashMap<ByteBuffer, Held> keys = new ConcurrentHashMap<>();
    private final byte[] instance = new byte[Long.BYTES];
    private final AtomicLong number = new AtomicLong();

    /** The holds of one key, and the time of their renewal. */
    private final class Held {

        private final Set<ByteBuffer> members = ConcurrentHashMap.newKeySet();
        private volatile long due = nextRenewal();

        boolean isDue(long now) {
            return now - due >= 0;
        }
    }

    PermitRenewals(Redis redis, ServerTime time) {
        this.redis = redis;
        this.time = time;
        ThreadLocalRandom.current().nextBytes(instance);
    }

    /** A name that no other instance has. */
    byte[] newName() {
        return ByteBuffer.allocate(NAME_LENGTH)
                .put(instance)
                .putLong(number.incrementAndGet())
                .array();
    }

    private long nextRenewal() {
        long sooner = ThreadLocalRandom.current().nextLong(RENEWED_EVERY_NANOS / 2);
        return time.clock().epochNanos() + RENEWED_EVERY_NANOS - sooner;
    }

    void hold(byte[] key, long permits, byte[] name) {
        keys.compute(ByteBuffer.wrap(key), (state, held) -> {
            Held all = held == null ? new Held() : held;
            all.members.add(member(permits, name));
            return all;
        });
    }

    void release(byte[] key, long permits, byte[] name) {
        keys.computeIfPresent(ByteBuffer.wrap(key), (state, held) -> {
            held.members.remove(member(permits, name));
            return held.members.isEmpty() ? null : held;
        });
    }

    /** The member of a hold in {@code concurrency.lua}: seven bytes of permits, then the name. */
    private static ByteBuffer member(long permits, byte[] name) {
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(permits).array();
        return ByteBuffer.allocate(7 + name.length).put(number, 1, 7).put(name).flip();
    }

    long size() {
        return keys.values().stream().mapToLong(held -> held.members.size()).sum();
    }

    /** Renews what is due, three times before it would end: a few calls at once, the next when these are answered. */
    void renew() {
        long now = time.clock().epochNanos();
        byte[] terms = new Arguments(16).number(time.toTell()).number(MICROS).toArray();
        Queue<Supplier<CompletionStage<?>>> calls = new ArrayDeque<>();
        keys.forEach((key, held) -> {
            if (held.isDue(now)) {
                held.due = nextRenewal();
                List<ByteBuffer> all = List.copyOf(held.members);
                for (int i = 0; i < all.size(); i += OF_A_CALL) {
                    List<ByteBuffer> some = all.subList(i, Math.min(i + OF_A_CALL, all.size()));
                    calls.add(() -> redis.run(Scripts.RENEW, new byte[][] {key.array()}, arguments(terms, some)));
                }
            }
        });
        callSome(calls);
    }

    private static byte[][] arguments(byte[] terms, List<ByteBuffer> members) {
        byte[][] arguments = new byte[members.size() + 1][];
        arguments[0] = terms;
        for (int i = 0; i < members.size(); i++) {
            arguments[i + 1] = members.get(i).array();
        }
        return arguments;
    }

    /** One thread after the other. */
    private static void callSome(Queue<Supplier<CompletionStage<?>>> calls) {
        List<CompletableFuture<?>> underWay = new ArrayList<>(CALLS);
        while (underWay.size() < CALLS && !calls.isEmpty()) {
            underWay.add(calls.remove().get().toCompletableFuture());
        }
        if (!underWay.isEmpty()) {
            var unused = CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
                    .whenCompleteAsync((done, failure) -> callSome(calls));
        }
    }
}
