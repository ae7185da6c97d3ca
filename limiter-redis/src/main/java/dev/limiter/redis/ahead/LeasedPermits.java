package dev.limiter.redis.ahead;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.redis.script.LuaAlgorithm;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ScriptAnswer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one key that were taken in one call, for later requests. Taking one is one atomic subtraction. Thread-safe;
 * never blocks.
 */
public final class LeasedPermits {

    private final Returns returns;
    private final Charge charge;
    private final RemoteRule remote;
    private final ScriptAnswer answer;
    private final long[] numbers;
    private final long until;
    private final long low;

    /** Below 0 if more have tried to take one than there were. */
    private final AtomicLong rest;

    /**
     * @param asked when Redis was asked, as {@link System#nanoTime()}: what is kept expires no later than it would
     *     there
     * @param requests how many requests wait for a permit, 0 or 1
     */
    public LeasedPermits(
            Returns returns, Charge charge, RemoteRule remote, ScriptAnswer answer, long asked, int requests) {
        this.returns = returns;
        this.charge = charge;
        this.remote = remote;
        this.answer = answer;
        this.numbers = answer.next(remote.limits.length);
        this.rest = new AtomicLong(answer.taken());
        this.low = (answer.taken() - requests) / 2;
        this.until = remote.ahead == 0 ? asked : asked + Math.min(remote.aheadNanos, windowRest());
    }

    /** Until the windows end in which the permits were taken: in another one they would be too many. */
    private long windowRest() {
        RedisDecision state = decision(0);
        long rest = Long.MAX_VALUE;
        for (int i = 0; i < remote.limits.length; i++) {
            Limit limit = remote.limits[i].limit;
            if (remote.limits[i].algorithm == LuaAlgorithm.FIXED_WINDOW) {
                long reset = state.lastingNanos(i);
                long window = limit.window().toNanos();
                // if some wait for the next window, it is that one's end
                rest = Math.min(rest, reset > window ? reset - window : reset);
            }
        }
        return rest;
    }

    /** The decision of the request that waited for these: one of them, or a rejection if there is none. */
    Decision first() {
        Decision taken = one();
        return taken != null ? taken : rejection();
    }

    /** One of them; null if there is none, or it is too late. */
    @Nullable
    Decision take() {
        return rest.get() > 0 && !isTooOld() ? one() : null;
    }

    private @Nullable Decision one() {
        long left = rest.decrementAndGet();
        return left >= 0 ? decision(left) : null;
    }

    /** Each as if it had been taken alone, in this order: what was left then, and what the state was. */
    private RedisDecision decision(long behind) {
        return new RedisDecision(returns, charge, remote, numbers, answer, true, behind);
    }

    /** The rejection of a request after these were taken. */
    public RedisDecision rejection() {
        return new RedisDecision(returns, charge, remote, numbers, answer, false, 0);
    }

    /** How many no caller has had yet. */
    long kept() {
        return Math.max(rest.get(), 0);
    }

    /** Whether no more than half of those are left that were taken ahead. */
    boolean runsLow() {
        return rest.get() <= low;
    }

    boolean isTooOld() {
        return System.nanoTime() - until >= 0;
    }

    /** Has no caller have any more of them, and returns none: the state that they were taken from is gone. */
    void forget() {
        rest.set(0);
    }

    /** Gives back those that no caller has had. */
    public void giveBack() {
        long permits = rest.getAndSet(0);
        if (permits > 0) {
            Charge all = new Charge(charge.rule(), charge.key(), permits);
            returns.giveBack(new RedisDecision(returns, all, remote, numbers, answer, true, 0), false);
        }
    }
}
