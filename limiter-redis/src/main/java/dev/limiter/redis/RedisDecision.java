package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What a script answered on one rule and key. */
final class RedisDecision extends Decision {

    private static final VarHandle RETURNED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RETURNED = lookup.findVarHandle(RedisDecision.class, "returned", boolean.class);
            RELEASED = lookup.findVarHandle(RedisDecision.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Charge charge;
    final RemoteRule remote;

    /** When the permits were taken, by the time of the server, in microseconds. */
    final long takenAt;

    private final RedisRateLimiterStorage storage;
    private final boolean permitted;
    private final boolean charged;
    private final long delayMicros;
    private final long turn;

    /** Four numbers for each limit, as the script answered them: left, refusal, reset, mark. */
    private final long[] numbers;

    private final byte[] lease;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RELEASED
    private volatile boolean released;

    RedisDecision(
            RedisRateLimiterStorage storage,
            Charge charge,
            RemoteRule remote,
            long[] numbers,
            Answer answer,
            boolean charged) {
        this.storage = storage;
        this.charge = charge;
        this.remote = remote;
        this.numbers = numbers;
        this.takenAt = answer.time();
        this.delayMicros = answer.delay();
        this.turn = answer.turn();
        this.lease = answer.lease();
        this.charged = charged;
        this.permitted = longestWait() == 0;
    }

    private long longestWait() {
        long longest = 0;
        for (int i = 0; i < remote.limits.length; i++) {
            longest = Math.max(longest, waitNanos(i));
        }
        return longest;
    }

    long mark(int limit) {
        return numbers[4 * limit + 3];
    }

    byte[] lease() {
        return lease;
    }

    @Override
    public boolean permitted() {
        return permitted;
    }

    @Override
    public Rule rule() {
        return remote.rule;
    }

    @Override
    protected String key() {
        return charge.key();
    }

    @Override
    protected long delayNanos() {
        return permitted ? delayMicros * 1000 : 0;
    }

    @Override
    protected long turn() {
        return permitted ? turn : Long.MIN_VALUE;
    }

    /** Does not wait until the server has them back. */
    @Override
    public void giveBack() {
        if (charged && RETURNED.compareAndSet(this, false, true)) {
            storage.giveBack(this, false);
        }
        close();
    }

    @Override
    public void close() {
        if (charged && remote.holds() && RELEASED.compareAndSet(this, false, true)) {
            storage.giveBack(this, true);
        }
    }

    @Override
    protected long remaining(int limit) {
        return Math.max(numbers[4 * limit] - remote.limits[limit].kept(charge), 0);
    }

    @Override
    protected long waitNanos(int limit) {
        return remote.limits[limit].isNever(charge) ? NEVER : RemoteLimit.nanos(numbers[4 * limit + 1]);
    }

    @Override
    protected long resetNanos(int limit) {
        return RemoteLimit.nanos(numbers[4 * limit + 2]);
    }
}
