package dev.limiter.redis;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The concurrency permits that this instance holds. A hold expires after half a minute, so that permits of a crashed
 * instance become free, and is renewed until it is released. A renewal that fails is sent again with the next call of
 * {@link #renew}. Thread-safe.
 */
final class PermitRenewals {

    static final long MICROS = Duration.ofSeconds(30).toNanos() / 1000;
    private static final int NAME_LENGTH = 16;

    /** The time between two renewals of a hold; randomly up to half of that less, to spread renewals over time. */
    private static final long RENEWED_EVERY_NANOS = MICROS * 1000 / 3;

    /** The calls of a pass in progress at a time. */
    private static final int CALLS = 32;

    /** The holds of one key that are renewed in one call; limited because a script blocks the server. */
    private static final int OF_A_CALL = 200;

    /** The JDK's thread for timeouts, because the application may block the common pool. */
    private static final Executor NEXT = CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run);

    private final Redis redis;
    private final ServerTime time;
    private final ConcurrentHashMap<ByteBuffer, Held> keys = new ConcurrentHashMap<>();
    private final byte[] instance = new byte[Long.BYTES];
    private final AtomicLong number = new AtomicLong();

    /** The last pass over the keys of each server. */
    private final Map<String, Pass> passes = new HashMap<>();

    /** The holds of one key, and the time of their renewal. */
    private final class Held {

        private final Set<ByteBuffer> members = ConcurrentHashMap.newKeySet();
        private volatile long due = nextRenewal();

        boolean isDue(long now) {
            return now - due >= 0;
        }
    }

    /**
     * One pass over the keys of a server that are due. Sends a few calls at a time, and the next ones after their
     * replies. Ends if all of them fail, so that a dead server costs only a few calls; its keys are then due again.
     */
    private final class Pass {

        private final long begun;
        private final byte[] terms;
        private volatile Map<ByteBuffer, Held> due = new HashMap<>();
        private volatile Iterator<Supplier<CompletableFuture<Boolean>>> calls = Collections.emptyIterator();
        private volatile boolean hasReply;

        Pass(long now, byte[] terms) {
            this.begun = now;
            this.terms = terms;
        }

        void begin() {
            calls = due.entrySet().stream()
                    .flatMap(key -> calls(key.getKey().array(), key.getValue()))
                    .iterator();
            sendSome();
        }

        /** Returns whether none of the first calls has a reply, although one may still come. */
        boolean isWithoutReply(long now) {
            return !hasReply && now - begun < RENEWED_EVERY_NANOS;
        }

        /** Sends no further calls, and clears the keys. */
        void end() {
            calls = Collections.emptyIterator();
            due = Map.of();
        }

        private Stream<Supplier<CompletableFuture<Boolean>>> calls(byte[] key, Held held) {
            List<ByteBuffer> all = List.copyOf(held.members);
            return IntStream.range(0, (all.size() + OF_A_CALL - 1) / OF_A_CALL)
                    .mapToObj(i -> all.subList(i * OF_A_CALL, Math.min((i + 1) * OF_A_CALL, all.size())))
                    .map(some -> () -> send(key, held, some));
        }

        /** Renews some holds; completes with false if that failed. */
        private CompletableFuture<Boolean> send(byte[] key, Held held, List<ByteBuffer> some) {
            return redis.run(Scripts.RENEW, new byte[][] {key}, arguments(terms, some))
                    .handle((reply, failure) -> {
                        if (failure != null) {
                            held.due = begun;
                        }
                        return failure == null;
                    })
                    .toCompletableFuture();
        }

        /** Called by one thread at a time. */
        private void sendSome() {
            Iterator<Supplier<CompletableFuture<Boolean>>> left = calls;
            List<CompletableFuture<Boolean>> sent = new ArrayList<>(CALLS);
            while (sent.size() < CALLS && left.hasNext()) {
                sent.add(left.next().get());
            }
            if (sent.isEmpty()) {
                end();
            } else {
                var unused = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
                        .whenComplete((done, failure) -> hasReply = true)
                        .whenCompleteAsync(
                                (done, failure) -> sendNext(sent.stream().anyMatch(CompletableFuture::join)), NEXT);
            }
        }

        private void sendNext(boolean works) {
            if (works) {
                sendSome();
            } else {
                due.values().forEach(held -> held.due = begun);
                end();
            }
        }
    }

    PermitRenewals(Redis redis, ServerTime time) {
        this.redis = redis;
        this.time = time;
        ThreadLocalRandom.current().nextBytes(instance);
    }

    /** Returns a name that no other instance uses. */
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

    /** Returns the member of a hold in {@code concurrency.lua}: the permits in seven bytes, then the name. */
    private static ByteBuffer member(long permits, byte[] name) {
        byte[] number = ByteBuffer.allocate(Long.BYTES).putLong(permits).array();
        return ByteBuffer.allocate(7 + name.length).put(number, 1, 7).put(name).flip();
    }

    long size() {
        return keys.values().stream().mapToLong(held -> held.members.size()).sum();
    }

    /**
     * Renews what is due, three times before it would expire. A server that has not replied to the first calls of a
     * pass gets no others until these holds would be due again.
     */
    synchronized void renew() {
        long now = time.clock().epochNanos();
        byte[] terms = new Arguments(16).number(time.argument()).number(MICROS).toArray();
        Map<String, Pass> begun = new HashMap<>();
        keys.forEach((key, held) -> {
            String node = held.isDue(now) ? redis.node(redis.slot(key.array())) : null;
            if (node != null && !isWithoutReply(node, now)) {
                held.due = nextRenewal();
                begun.computeIfAbsent(node, of -> new Pass(now, terms)).due.put(key, held);
            }
        });
        begun.forEach((node, pass) -> {
            Pass last = passes.put(node, pass);
            if (last != null && !last.hasReply) {
                last.end();
            }
            pass.begin();
        });
    }

    private boolean isWithoutReply(String node, long now) {
        Pass last = passes.get(node);
        return last != null && last.isWithoutReply(now);
    }

    private static byte[][] arguments(byte[] terms, List<ByteBuffer> members) {
        byte[][] arguments = new byte[members.size() + 1][];
        arguments[0] = terms;
        for (int i = 0; i < members.size(); i++) {
            arguments[i + 1] = members.get(i).array();
        }
        return arguments;
    }
}
