package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.CompiledLimit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The reply of a script for one rule and key. */
final class RedisDecision extends AbstractDecision {

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

    /** The number of values per limit in the reply of a script. */
    static final int NUMBERS = 6;

    public final Charge charge;
    public final RemoteRule remote;

    private final Returns returns;

    private final ScriptReply reply;

    /** Six values per limit from the script: left, rejection, reset, mark, returned, delay. */
    private final long[] numbers;

    private final boolean charged;
    private final boolean permitted;
    private final long turn;

    /** How many permits of the same call count as taken after this one. */
    private final long behind;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // accessed through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // accessed through RELEASED
    private volatile boolean released;

    /** Creates a decision; {@code charged}: whether permits were taken. Otherwise it is a rejection or a peek. */
    public RedisDecision(
            Returns returns,
            Charge charge,
            RemoteRule remote,
            long[] numbers,
            ScriptReply reply,
            boolean charged,
            long behind) {
        this.returns = returns;
        this.charge = charge;
        this.remote = remote;
        this.numbers = numbers;
        this.reply = reply;
        this.charged = charged;
        this.behind = behind;
        this.permitted = charged || isFree();
        this.turn = reply.turn(charged ? delayMicros() : 0);
    }

    /** Returns the wait for the common turn of all limits of the rule. */
    private long delayMicros() {
        return permitted ? numbers[NUMBERS - 1] : 0;
    }

    /** Returns whether each limit would permit the request, at once or after a wait. */
    private boolean isFree() {
        for (int i = 0; i < remote.limits.length; i++) {
            if (numbers[NUMBERS * i + 1] != 0 || remote.limits[i].isNever(charge, i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the rejection time applies to the same request: after a charge, it applies to a single permit.
     */
    public boolean isOfTheSame() {
        if (charged) {
            for (int i = 0; i < remote.limits.length; i++) {
                if (charge.permits(i) > 1) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns for how long the same request will be rejected, as far as is known. */
    public long rejectsForMicros() {
        long longest = 0;
        for (int i = 0; i < remote.limits.length; i++) {
            longest = Math.max(longest, numbers[NUMBERS * i + 1] - patienceMicros(i));
        }
        return longest;
    }

    /** Returns the maximum wait of the same request; after a charge, the reply contains the time without waiting. */
    private long patienceMicros(int limit) {
        return charged ? remote.limits[limit].patienceMicros(charge.maxWait()) : 0;
    }

    /** Returns the decision after {@code micros}, if no other request came in between. */
    public RedisDecision rejectedAfter(long micros) {
        long[] later = numbers.clone();
        for (int i = 0; i < remote.limits.length; i++) {
            long sooner = micros + patienceMicros(i);
            later[NUMBERS * i + 1] = numbers[NUMBERS * i + 1] < 0 ? -1 : Math.max(numbers[NUMBERS * i + 1] - sooner, 0);
            later[NUMBERS * i + 2] = numbers[NUMBERS * i + 2] < 0 ? -1 : Math.max(numbers[NUMBERS * i + 2] - micros, 0);
        }
        return new RedisDecision(returns, charge, remote, later, reply, false, 0);
    }

    long takenAt() {
        return reply.time();
    }

    long mark(int limit) {
        return remote.limits[limit].markBefore(numbers[NUMBERS * limit + 3], behind);
    }

    /** Returns how many permits of a limit had been returned when these were taken. */
    long returnedBefore(int limit) {
        return numbers[NUMBERS * limit + 4];
    }

    public byte[] hold() {
        return reply.hold();
    }

    @Override
    public boolean permitted() {
        return permitted;
    }

    @Override
    public Rule rule() {
        return remote.rule;
    }

    /** Returns nanoseconds until nothing used counts; UNKNOWN for concurrency. */
    public long lastingNanos(int limit) {
        return resetNanos(limit);
    }

    public String key() {
        return charge.key();
    }

    @Override
    protected long delayNanos() {
        return delayMicros() * 1000;
    }

    @Override
    public long turnNanos() {
        return turn;
    }

    /** Returns without waiting for the server. */
    @Override
    public void giveBack() {
        if (charged && RETURNED.compareAndSet(this, false, true)) {
            returns.giveBack(this, false);
        }
        close();
    }

    @Override
    public void close() {
        if (charged && remote.holds() && RELEASED.compareAndSet(this, false, true)) {
            returns.giveBack(this, true);
        }
    }

    @Override
    protected long remaining(int limit) {
        return Math.max(numbers[NUMBERS * limit] + behind - remote.limits[limit].kept(charge), 0);
    }

    @Override
    protected long waitNanos(int limit) {
        if (charged) {
            return 0;
        }
        return remote.limits[limit].isNever(charge, limit)
                ? CompiledLimit.NEVER
                : RemoteLimit.nanos(numbers[NUMBERS * limit + 1]);
    }

    @Override
    protected long resetNanos(int limit) {
        return RemoteLimit.nanos(numbers[NUMBERS * limit + 2]);
    }
}
