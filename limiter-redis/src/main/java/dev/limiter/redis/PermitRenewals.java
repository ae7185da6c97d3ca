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
 * The permits of concurrency limits that this instance holds. They are held for half a minute only, so that those of an
 * instance that is gone are free again, and renewed until they are released. A renewal that fails is sent again with
 * the next call of {@link #renew}. Thread-safe.
 */
final class PermitRenewals {

    static final long MICROS = Duration.ofSeconds(30).toNanos() / 1000;
    private static final int NAME_LENGTH = 16;

    /** The time between two renewals of a hold, less up to half of it: so not all are renewed at the same time. */
    private static final long RENEWED_EVERY_NANOS = MICROS * 1000 / 3;

    /** Calls of a pass that are under way at once. */
    private static final int CALLS = 32;

    /** Holds of one key that are renewed in one call: a script blocks the server. */
    private static final int OF_A_CALL = 200;

    /** The JDK's thread for time-outs: tasks of the application may occupy the common pool. */
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
     * One pass over the keys of a server that are due: a few calls at once, the next when these are answered. Ends where
     * all of them fail, so that a dead server costs a few calls; its keys are due again then.
     */
    private final class Pass {

        private final long begun;
        private final byte[] terms;
        private volatile Map<ByteBuffer, Held> due = new HashMap<>();
        private volatile Iterator<Supplier<CompletableFuture<Boolean>>> calls = Collections.emptyIterator();
        private volatile boolean answered;

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

        /** Whether none of the first calls has been answered, and they may still be. */
        boolean isUnanswered(long now) {
            return !answered && now - begun < RENEWED_EVERY_NANOS;
        }

        /** Sends no others, and keeps nothing. */
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

        /** False if it failed. */
        private CompletableFuture<Boolean> send(byte[] key, Held held, List<ByteBuffer> some) {
            return redis.run(Scripts.RENEW, new byte[][] {key}, arguments(terms, some))
                    .handle((answer, failure) -> {
                        if (failure != null) {
                            held.due = begun;
                        }
                        return failure == null;
                    })
                    .toCompletableFuture();
        }

        /** One thread after the other. */
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
                        .whenComplete((done, failure) -> answered = true)
                        .whenCompleteAsync(
                                (done, failure) -> goOn(sent.stream().anyMatch(CompletableFuture::join)), NEXT);
            }
        }

        private void goOn(boolean works) {
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

    /**
     * Renews what is due, three times before it would end. A server that has not answered the first calls of a pass gets
     * no others until the next renewal of these would be due.
     */
    synchronized void renew() {
        long now = time.clock().epochNanos();
        byte[] terms = new Arguments(16).number(time.toTell()).number(MICROS).toArray();
        Map<String, Pass> begun = new HashMap<>();
        keys.forEach((key, held) -> {
            String node = held.isDue(now) ? redis.node(redis.slot(key.array())) : null;
            if (node != null && !isUnanswered(node, now)) {
                held.due = nextRenewal();
                begun.computeIfAbsent(node, of -> new Pass(now, terms)).due.put(key, held);
            }
        });
        begun.forEach((node, pass) -> {
            Pass last = passes.put(node, pass);
            if (last != null && !last.answered) {
                last.end();
            }
            pass.begin();
        });
    }

    private boolean isUnanswered(String node, long now) {
        Pass last = passes.get(node);
        return last != null && last.isUnanswered(now);
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
