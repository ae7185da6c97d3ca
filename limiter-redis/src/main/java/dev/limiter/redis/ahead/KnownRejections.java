package dev.limiter.redis.ahead;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.redis.script.RedisDecision;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rejections that follow from earlier answers of Redis: a key without permits for another minute is not asked for until
 * then. Other instances may give back or reset, and Redis may lose its data: so one request a second asks all the same.
 * Thread-safe; bounded: the least recently used rejections are dropped.
 *
 * <p>Each state has a stamp, which changes when permits are given back here. A rejection asked for under an older stamp
 * is not used, whenever its answer came.
 */
public final class KnownRejections {

    static final int MAX_REQUESTS = 10_000;

    /** Not worth remembering. */
    private static final long SHORTEST_MICROS = 100;

    /** The number of stamps, a power of two. States that share a stamp forget more rejections than necessary. */
    private static final int STAMPS = 4096;

    /** The time for which a rejection is believed before one request asks again. */
    private static final long BELIEVED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * {@code parts} as they were heard of at {@code answered}, rejected until {@code until}, by the clock of this JVM;
     * {@code doubted}: when one request is to find out whether that is still so.
     */
    private record Rejection(List<RedisDecision> parts, long stamp, long answered, long until, AtomicLong doubted) {

        /** True for one request in a second. */
        boolean isDoubted(long now) {
            long due = doubted.get();
            return now - due >= 0 && doubted.compareAndSet(due, now + BELIEVED_NANOS);
        }
    }

    private final RecentMap<Object, Rejection> rejections = new RecentMap<>(MAX_REQUESTS);
    private final AtomicIntegerArray stamps = new AtomicIntegerArray(STAMPS);
    private final LongSupplier nanoTime;

    public KnownRejections() {
        this(System::nanoTime);
    }

    /** {@code nanoTime}: for tests. */
    KnownRejections(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The answer that Redis would give to a request, if it would certainly reject; null if it has to be asked. */
    public @Nullable Decision of(Object request) {
        return of(request, true);
    }

    /** The same also for the request that is to find out whether Redis still rejects: for one that cannot ask. */
    public @Nullable Decision lasting(Object request) {
        return of(request, false);
    }

    private @Nullable Decision of(Object request, boolean doubting) {
        Rejection rejection = rejections.isEmpty() ? null : rejections.get(request);
        if (rejection == null) {
            return null;
        }
        long now = nanoTime.getAsLong();
        if (rejection.until - now <= 0 || rejection.stamp != stampOf(rejection.parts)) {
            rejections.remove(request, rejection);
            return null;
        }
        return doubting && rejection.isDoubted(now) ? null : afterwards(rejection, now);
    }

    private static Decision afterwards(Rejection rejection, long now) {
        long passedMicros = (now - rejection.answered) / 1000;
        List<RedisDecision> parts = rejection.parts;
        return parts.size() == 1
                ? parts.get(0).rejectedAfter(passedMicros)
                : Decision.allOf(parts.stream()
                        .map(part -> part.rejectedAfter(passedMicros))
                        .toList());
    }

    /** The stamps of all states that charges are about: they only grow, so the sum is the same if all are. */
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
     * Rejects from {@code asked} on, so for no longer than Redis would; and tells a wait from now on, so none that is too
     * short: Redis has answered in between. {@code stamp}: before Redis was asked.
     */
    public void learn(Object request, List<RedisDecision> answer, long stamp, long asked) {
        long micros = 0;
        boolean same = true;
        for (RedisDecision part : answer) {
            same &= part.isOfTheSame();
            micros = Math.max(micros, part.rejectsForMicros());
        }
        if (same && micros >= SHORTEST_MICROS) {
            long until = asked + Math.min(micros, Long.MAX_VALUE / 4000) * 1000;
            long answered = nanoTime.getAsLong();
            rejections.put(
                    request, new Rejection(answer, stamp, answered, until, new AtomicLong(asked + BELIEVED_NANOS)));
        } else if (!rejections.isEmpty()) {
            rejections.remove(request);
        }
    }

    /** Something may be had again of the state that a charge is about. */
    public void forget(Charge charge) {
        stamps.incrementAndGet(position(charge));
    }

    public void cleanUp() {
        long now = nanoTime.getAsLong();
        rejections.removeIf(rejection -> rejection.until - now <= 0);
    }
}
