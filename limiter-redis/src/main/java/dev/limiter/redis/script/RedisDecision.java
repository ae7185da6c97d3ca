package dev.limiter.redis.script;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The answer of a script on one rule and key. */
public final class RedisDecision extends Decision {

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

    /** How many numbers a script answers for each limit. */
    static final int NUMBERS = 6;

    public final Charge charge;
    public final RemoteRule remote;

    private final Returns returns;

    private final ScriptAnswer answer;

    /** For each limit, as the script answered them: left, rejection, reset, mark, returned, delay. */
    private final long[] numbers;

    private final boolean charged;
    private final boolean permitted;
    private final long turn;

    /** How many of the permits that were taken in the same call count as taken later. */
    private final long behind;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RELEASED
    private volatile boolean released;

    /** {@code charged}: the permits were taken; they would be, or are rejected, if not. */
    public RedisDecision(
            Returns returns,
            Charge charge,
            RemoteRule remote,
            long[] numbers,
            ScriptAnswer answer,
            boolean charged,
            long behind) {
        this.returns = returns;
        this.charge = charge;
        this.remote = remote;
        this.numbers = numbers;
        this.answer = answer;
        this.charged = charged;
        this.behind = behind;
        this.permitted = charged || isFree();
        this.turn = answer.turn(charged ? delayMicros() : 0);
    }

    /** The wait for the turn that all limits of the rule have together. */
    private long delayMicros() {
        return permitted ? numbers[NUMBERS - 1] : 0;
    }

    /** Whether each limit would permit the request, at once or after a wait. */
    private boolean isFree() {
        for (int i = 0; i < remote.limits.length; i++) {
            if (numbers[NUMBERS * i + 1] != 0 || remote.limits[i].isNever(charge, i)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it tells of the same request: the answer to a charge tells when a single permit is available again. */
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

    /** The time for which the same request will be rejected, as far as it is known. */
    public long rejectsForMicros() {
        long longest = 0;
        for (int i = 0; i < remote.limits.length; i++) {
            longest = Math.max(longest, numbers[NUMBERS * i + 1] - patienceMicros(i));
        }
        return longest;
    }

    /** The maximum wait of the same request: the answer to a charge tells when a permit is available at once. */
    private long patienceMicros(int limit) {
        return charged ? remote.limits[limit].patienceMicros(charge.maxWait()) : 0;
    }

    /** The answer after that time, if no other request came in between. */
    public RedisDecision rejectedAfter(long micros) {
        long[] later = numbers.clone();
        for (int i = 0; i < remote.limits.length; i++) {
            long sooner = micros + patienceMicros(i);
            later[NUMBERS * i + 1] = numbers[NUMBERS * i + 1] < 0 ? -1 : Math.max(numbers[NUMBERS * i + 1] - sooner, 0);
            later[NUMBERS * i + 2] = numbers[NUMBERS * i + 2] < 0 ? -1 : Math.max(numbers[NUMBERS * i + 2] - micros, 0);
        }
        return new RedisDecision(returns, charge, remote, later, answer, false, 0);
    }

    long takenAt() {
        return answer.time();
    }

    long mark(int limit) {
        return remote.limits[limit].markBefore(numbers[NUMBERS * limit + 3], behind);
    }

    /** How many permits had been returned of a limit when these were taken. */
    long returnedBefore(int limit) {
        return numbers[NUMBERS * limit + 4];
    }

    public byte[] hold() {
        return answer.hold();
    }

    @Override
    public boolean permitted() {
        return permitted;
    }

    @Override
    public Rule rule() {
        return remote.rule;
    }

    /** After how many nanoseconds nothing used counts any longer; UNKNOWN for concurrency. */
    public long lastingNanos(int limit) {
        return resetNanos(limit);
    }

    @Override
    public String key() {
        return charge.key();
    }

    @Override
    protected long delayNanos() {
        return delayMicros() * 1000;
    }

    @Override
    protected long turn() {
        return turn;
    }

    /** Does not wait until the server has them back. */
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
        return remote.limits[limit].isNever(charge, limit) ? NEVER : RemoteLimit.nanos(numbers[NUMBERS * limit + 1]);
    }

    @Override
    protected long resetNanos(int limit) {
        return RemoteLimit.nanos(numbers[NUMBERS * limit + 2]);
    }
}
