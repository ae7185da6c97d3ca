package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one key that were leased in one call, for later requests. Taking one is an atomic subtraction.
 * Thread-safe; never blocks.
 */
final class LeasedPermits {

    private final Returns returns;
    private final Charge charge;
    private final RemoteRule remote;
    private final ScriptReply reply;
    private final long[] numbers;
    private final long until;
    private final long low;

    /** Negative if more requests tried to take a permit than there were. */
    private final AtomicLong rest;

    /**
     * Creates a lease.
     *
     * @param calledAt the {@link System#nanoTime()} of the call, so that the lease expires no later than in Redis
     * @param requests how many requests wait for a permit, 0 or 1
     */
    public LeasedPermits(
            Returns returns, Charge charge, RemoteRule remote, ScriptReply reply, long calledAt, int requests) {
        this.returns = returns;
        this.charge = charge;
        this.remote = remote;
        this.reply = reply;
        this.numbers = reply.next(remote.limits.length);
        this.rest = new AtomicLong(reply.taken());
        this.low = (reply.taken() - requests) / 2;
        this.until = remote.ahead == 0 ? calledAt : calledAt + Math.min(remote.aheadNanos, windowRest());
    }

    /**
     * Returns nanoseconds until the end of the windows in which the permits were taken; they must not be used in
     * another.
     */
    private long windowRest() {
        RedisDecision state = decision(0);
        long rest = Long.MAX_VALUE;
        for (int i = 0; i < remote.limits.length; i++) {
            Limit limit = remote.limits[i].limit;
            if (remote.limits[i].algorithm == LuaAlgorithm.FIXED_WINDOW) {
                long reset = state.lastingNanos(i);
                long window = limit.window().toNanos();
                // if requests wait for the next window, this is the end of that one
                rest = Math.min(rest, reset > window ? reset - window : reset);
            }
        }
        return rest;
    }

    /**
     * Returns the decision of the request that waited for this lease: one of its permits, or a rejection if there is
     * none.
     */
    Decision first() {
        Decision taken = one();
        return taken != null ? taken : rejection();
    }

    /** Returns one of the permits; null if there is none, or they have expired. */
    @Nullable
    Decision take() {
        return rest.get() > 0 && !isTooOld() ? one() : null;
    }

    private @Nullable Decision one() {
        long left = rest.decrementAndGet();
        return left >= 0 ? decision(left) : null;
    }

    /** Returns a decision as if each permit had been taken alone, in this order. */
    private RedisDecision decision(long behind) {
        return new RedisDecision(returns, charge, remote, numbers, reply, true, behind);
    }

    /** Returns the rejection of a request after these permits were taken. */
    public RedisDecision rejection() {
        return new RedisDecision(returns, charge, remote, numbers, reply, false, 0);
    }

    /** Returns how many permits are unused. */
    long kept() {
        return Math.max(rest.get(), 0);
    }

    /** Returns whether at most half of the permits for later requests are left. */
    boolean runsLow() {
        return rest.get() <= low;
    }

    boolean isTooOld() {
        return System.nanoTime() - until >= 0;
    }

    /** Drops the unused permits without returning them, because the state that they were taken from is gone. */
    void forget() {
        rest.set(0);
    }

    /** Returns the unused permits. */
    public void giveBack() {
        long permits = rest.getAndSet(0);
        if (permits > 0) {
            Charge all = charge.rule().charge(charge.key(), permits);
            returns.giveBack(new RedisDecision(returns, all, remote, numbers, reply, true, 0), false);
        }
    }
}
