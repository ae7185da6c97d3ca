package dev.limiter.redis;

import java.nio.ByteBuffer;

/**
 * The reply of {@code decide} for all keys of a call.
 *
 * @param time the time of the server, in microseconds
 * @param permitted whether the permits were taken, or would have been
 * @param taken the permits taken, in mode {@code TAKE_SOME}
 * @param position the index of the request among those that share the reply
 * @param clock estimates how far the clock of the server is ahead
 * @param calledAt when the request was created, in epoch nanoseconds of the local clock
 * @param hold the name under which permits of concurrency limits are held
 * @param numbers the remaining values
 */
record ScriptReply(
        long time,
        boolean permitted,
        long taken,
        int position,
        ServerTime clock,
        long calledAt,
        byte[] hold,
        ByteBuffer numbers) {

    /** Reads a reply; {@code calledAt} is when the request was created, in epoch nanoseconds of the local clock. */
    public static ScriptReply of(ByteBuffer numbers, int position, ServerTime clock, long calledAt, byte[] hold) {
        double signedTime = numbers.getDouble();
        long time = (long) (signedTime < 0 ? -1 - signedTime : signedTime);
        long taken = numbers.hasRemaining() ? (long) numbers.getDouble() : 0;
        return new ScriptReply(time, signedTime >= 0, taken, position, clock, calledAt, hold, numbers);
    }

    /**
     * Returns whether the server's time is outside the calendar boundaries of the request, which must be repeated.
     */
    public boolean isOutside() {
        return !numbers.hasRemaining();
    }

    /**
     * Returns when a wait of {@code delay} microseconds ends, in epoch nanoseconds of the local clock; {@code
     * Long.MIN_VALUE} without a wait.
     */
    long turn(long delay) {
        return delay == 0 ? Long.MIN_VALUE : clock.turn(time, delay, calledAt);
    }

    /** Reads the values of the next {@code limits} limits. */
    public long[] next(int limits) {
        long[] next = new long[RedisDecision.NUMBERS * limits];
        for (int i = 0; i < next.length; i++) {
            next[i] = (long) numbers.getDouble();
        }
        return next;
    }
}
