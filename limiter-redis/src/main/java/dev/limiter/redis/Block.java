package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import org.jspecify.annotations.Nullable;

/** Permits of one key that were taken in one call. Not thread-safe, but for {@link #next}. */
final class Block {

    private final RedisRateLimiterStorage storage;
    private final Charge charge;
    private final RemoteRule remote;
    private final Answer answer;
    private final long[] numbers;
    private final long until;

    private long rest;

    /** {@code until}: how long what was taken ahead may be kept, as {@link System#nanoTime()}. */
    Block(RedisRateLimiterStorage storage, Charge charge, RemoteRule remote, Answer answer, long until) {
        this.storage = storage;
        this.charge = charge;
        this.remote = remote;
        this.answer = answer;
        this.numbers = answer.next(remote.limits.length);
        this.rest = answer.taken();
        this.until = until;
    }

    /** For one who was there when they were taken: one of them, or a refusal if there were not enough. */
    synchronized Decision next() {
        return rest > 0 ? decision() : refusal();
    }

    /** For one who came later; null if there is none, or it is too late. */
    synchronized @Nullable Decision take() {
        return rest > 0 && !isTooOld() ? decision() : null;
    }

    /** Each as if it had been taken alone, in this order: what was left then, and what the state was. */
    private RedisDecision decision() {
        rest--;
        return new RedisDecision(storage, charge, remote, numbers, answer, true, rest);
    }

    RedisDecision refusal() {
        return new RedisDecision(storage, charge, remote, numbers, answer, false, 0);
    }

    synchronized long kept() {
        return rest;
    }

    boolean isTooOld() {
        return System.nanoTime() - until >= 0;
    }

    /** Gives back what nobody has had. */
    synchronized void giveBack() {
        if (rest > 0) {
            storage.giveBack(decisionOf(rest), false);
            rest = 0;
        }
    }

    private RedisDecision decisionOf(long permits) {
        Charge all = new Charge(charge.rule(), charge.key(), permits);
        return new RedisDecision(storage, all, remote, numbers, answer, true, 0);
    }
}
