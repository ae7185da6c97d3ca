package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spi.AbstractDecision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests locally while an earlier reply of Redis is still valid: if a key has no permits for another minute,
 * Redis is not called until then. Other instances may return permits or reset the key, and Redis may lose its data, so
 * one request per second is sent anyway. Thread-safe and bounded: the least recently used rejections are dropped.
 *
 * <p>Each state has a stamp, which changes when this instance returns permits. A rejection that was requested under an
 * older stamp is ignored.
 */
final class KnownRejections {

    static final int MAX_REQUESTS = 10_000;

    /** Shorter rejections are not stored. */
    private static final long SHORTEST_MICROS = 100;

    /** The number of stamps, a power of two. States that share a stamp drop more rejections than necessary. */
    private static final int STAMPS = 4096;

    /** How long a rejection is used before one request checks it. */
    private static final long CHECK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A rejection.
     *
     * @param parts the decisions of the reply at {@code repliedAt}
     * @param until when the rejection ends, by the clock of this JVM
     * @param nextCheck when one request has to check whether it still applies
     */
    private record Rejection(List<RedisDecision> parts, long stamp, long repliedAt, long until, AtomicLong nextCheck) {

        /** Returns true for one request per second. */
        boolean isCheckDue(long now) {
            long due = nextCheck.get();
            return now - due >= 0 && nextCheck.compareAndSet(due, now + CHECK_EVERY_NANOS);
        }
    }

    private final RecentMap<Object, Rejection> rejections = new RecentMap<>(MAX_REQUESTS);
    private final AtomicIntegerArray stamps = new AtomicIntegerArray(STAMPS);
    private final LongSupplier nanoTime;

    public KnownRejections() {
        this(System::nanoTime);
    }

    /** Creates an instance with a clock, for tests. */
    KnownRejections(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns the rejection that Redis would certainly reply with, or null if a call to Redis is needed. */
    public @Nullable Decision of(Object request) {
        return of(request, true);
    }

    /** Does the same, but ignores the check that is due once per second: for use while Redis cannot be called. */
    public @Nullable Decision lasting(Object request) {
        return of(request, false);
    }

    private @Nullable Decision of(Object request, boolean checking) {
        Rejection rejection = rejections.isEmpty() ? null : rejections.get(request);
        if (rejection == null) {
            return null;
        }
        long now = nanoTime.getAsLong();
        if (rejection.until - now <= 0 || rejection.stamp != stampOf(rejection.parts)) {
            rejections.remove(request, rejection);
            return null;
        }
        return checking && rejection.isCheckDue(now) ? null : afterwards(rejection, now);
    }

    private static Decision afterwards(Rejection rejection, long now) {
        long passedMicros = (now - rejection.repliedAt) / 1000;
        List<RedisDecision> parts = rejection.parts;
        return parts.size() == 1
                ? parts.get(0).rejectedAfter(passedMicros)
                : AbstractDecision.allOf(parts.stream()
                        .map(part -> part.rejectedAfter(passedMicros))
                        .toList());
    }

    /**
     * Returns the sum of the stamps of all states of the charges. Stamps only grow, so an equal sum means no change.
     */
    public long stamp(List<Charge> charges) {
        long sum = 0;
        for (Charge charge : charges) {
            sum += stamps.get(position(charge));
        }
        return sum;
    }

    private long stampOf(List<RedisDecision> parts) {
        long sum = 0;
        for (RedisDecision part : parts) {
            sum += stamps.get(position(part.charge));
        }
        return sum;
    }

    private static int position(Charge charge) {
        int hash = 31 * charge.rule().name().hashCode() + charge.key().hashCode();
        return (hash ^ hash >>> 16) & STAMPS - 1;
    }

    /**
     * Stores a rejection. It counts from {@code calledAt}, so it does not last longer than in Redis. Its retry time
     * counts from now, so it is not too short. {@code stamp} is from before the call.
     */
    public void remember(Object request, List<RedisDecision> reply, long stamp, long calledAt) {
        long micros = 0;
        boolean same = true;
        for (RedisDecision part : reply) {
            same &= part.isOfTheSame();
            micros = Math.max(micros, part.rejectsForMicros());
        }
        if (same && micros >= SHORTEST_MICROS) {
            long until = calledAt + Math.min(micros, Long.MAX_VALUE / 4000) * 1000;
            long repliedAt = nanoTime.getAsLong();
            rejections.put(
                    request,
                    new Rejection(reply, stamp, repliedAt, until, new AtomicLong(calledAt + CHECK_EVERY_NANOS)));
        } else if (!rejections.isEmpty()) {
            rejections.remove(request);
        }
    }

    /** Drops rejections of a charge that may be permitted again. */
    public void forget(Charge charge) {
        stamps.incrementAndGet(position(charge));
    }

    public void cleanUp() {
        long now = nanoTime.getAsLong();
        rejections.removeIf(rejection -> rejection.until - now <= 0);
    }
}
