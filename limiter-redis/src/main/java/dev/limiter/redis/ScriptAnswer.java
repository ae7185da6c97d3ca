package dev.limiter.redis;

import java.nio.ByteBuffer;

/**
 * The answer of {@code decide} for all keys of a call.
 *
 * @param time of the server, in microseconds
 * @param permitted whether the permits were taken, or would have been
 * @param taken how many permits were taken, if as many as there are were to be
 * @param position of the request among those that share the answer, from 0
 * @param clock tells how far the clock of the server is ahead
 * @param asked when the request was made, in epoch nanoseconds of the local clock
 * @param hold the name under which permits of concurrency limits are held
 * @param numbers the rest
 */
record ScriptAnswer(
        long time,
        boolean permitted,
        long taken,
        int position,
        ServerTime clock,
        long asked,
        byte[] hold,
        ByteBuffer numbers) {

    /** {@code asked}: when the request was made, in epoch nanoseconds of the local clock. */
    public static ScriptAnswer of(ByteBuffer numbers, int position, ServerTime clock, long asked, byte[] hold) {
        double told = numbers.getDouble();
        long time = (long) (told < 0 ? -1 - told : told);
        long taken = numbers.hasRemaining() ? (long) numbers.getDouble() : 0;
        return new ScriptAnswer(time, told >= 0, taken, position, clock, asked, hold, numbers);
    }

    /** Whether the server's time is outside what it was told of a calendar: it has to be asked again. */
    public boolean isOutside() {
        return !numbers.hasRemaining();
    }

    /** The end of a wait of so many microseconds by the local clock, in epoch nanoseconds; long past without a wait. */
    long turn(long delay) {
        return delay == 0 ? Long.MIN_VALUE : clock.turn(time, delay, asked);
    }

    /** The next numbers of so many limits. */
    public long[] next(int limits) {
        long[] next = new long[RedisDecision.NUMBERS * limits];
        for (int i = 0; i < next.length; i++) {
            next[i] = (long) numbers.getDouble();
        }
        return next;
    }
}
