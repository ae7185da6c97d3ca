package dev.limiter.algorithm;

import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.TakenPermits;
import java.util.ArrayList;
import java.util.List;

/**
 * The times at which permits were taken, oldest first, each with their number: the state of a sliding window log.
 *
 * <p>Entries lie in chunks. A call looks at each chunk at most once and at the entries of two, so even with a million
 * entries it takes some microseconds. Only a change of the limit copies all of them.
 */
final class PermitLog implements LimitState {

    private final long limit;
    private final long window;

    /** The chunks before the newest, oldest first. Each has permits. */
    private List<LogChunk> older = List.of();

    /** Has no permits only if the log has none. */
    private LogChunk newest = new LogChunk();

    /** The permits of all entries. */
    private long total;

    /** The time by which the clock has stepped back: entries have {@code now + offset}. Zero without entries. */
    private long offset;

    /** {@code window}: in nanoseconds. */
    PermitLog(long limit, long window) {
        this.limit = limit;
        this.window = window;
    }

    @Override
    public long waitNanos(long now, long permits) {
        if (permits > limit) {
            return CompiledLimit.NEVER;
        }
        long time = forget(now);
        long missing = permits - (limit - total);
        return missing <= 0 ? 0 : timeOf(missing) + window - time;
    }

    /** When the permit with this number was taken, counted from 1. */
    private long timeOf(long permit) {
        long left = permit;
        for (LogChunk chunk : older) {
            if (left <= chunk.permits()) {
                return chunk.timeOf(left);
            }
            left -= chunk.permits();
        }
        return newest.timeOf(left);
    }

    @Override
    public long take(long now, long permits) {
        long time = forget(now);
        if (permits <= 0) {
            return now;
        }
        if (total > 0 && newest.last() - time >= 0) {
            // the clock stepped back a little: as late as the last entry, to keep the order
            newest.addToLast(permits);
        } else if (!newest.add(time, permits)) {
            older = older.isEmpty() ? new ArrayList<>() : older;
            older.add(newest);
            newest = new LogChunk();
            newest.add(time, permits);
        }
        total += permits;
        return newest.last() - offset;
    }

    @Override
    public void giveBack(TakenPermits taken, long now) {
        forget(now);
        long time = taken.mark() + offset;
        long permits = taken.permits();
        if (total == 0 || permits <= 0) {
            return;
        }
        if (time - newest.first() >= 0) {
            total -= newest.giveBack(time, permits);
        } else {
            giveBackToOlder(time, permits);
        }
        if (total == 0) {
            clear();
        } else if (newest.permits() == 0) {
            newest = older.remove(older.size() - 1);
        }
    }

    private void giveBackToOlder(long time, long permits) {
        int chunk = older.size() - 1;
        while (chunk >= 0 && older.get(chunk).first() - time > 0) {
            chunk--;
        }
        if (chunk >= 0) {
            total -= older.get(chunk).giveBack(time, permits);
            if (older.get(chunk).permits() == 0) {
                older.remove(chunk);
            }
        }
    }

    private LogChunk oldest() {
        return older.isEmpty() ? newest : older.get(0);
    }

    @Override
    public long remaining(long now) {
        forget(now);
        return Math.max(limit - total, 0);
    }

    @Override
    public long freshAt(long now) {
        forget(now);
        return total == 0 ? now : newest.last() - offset + window;
    }

    /** From another log all entries, which are forgotten once they have left this window. */
    @Override
    public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
        if (!(previous instanceof PermitLog log)) {
            LimitState.super.carry(previous, previousLimit, now);
            return;
        }
        log.forget(now);
        older = new ArrayList<>(log.older.size());
        log.older.forEach(chunk -> older.add(new LogChunk(chunk)));
        newest = new LogChunk(log.newest);
        total = log.total;
        offset = log.offset;
    }

    /** Drops the entries that have left the window; returns the time of an entry that is made now. */
    private long forget(long now) {
        if (total == 0) {
            return now;
        }
        long ahead = newest.last() - offset - now;
        if (ahead > window / 2) {
            // the clock stepped back far: the entries move back with it, or they would block for too long
            offset += ahead;
        }
        long time = now + offset;
        if (newest.last() - time <= -window) {
            clear();
            return now;
        }
        if (oldest().first() - time <= -window) {
            drop(time - window);
        }
        return time;
    }

    /** Drops all entries up to a time, which is before the last one. */
    private void drop(long time) {
        int gone = 0;
        for (; gone < older.size() && older.get(gone).last() - time <= 0; gone++) {
            total -= older.get(gone).permits();
        }
        if (gone > 0) {
            older.subList(0, gone).clear();
        }
        total -= oldest().dropUntil(time);
    }

    private void clear() {
        older = List.of();
        newest = new LogChunk();
        total = 0;
        offset = 0;
    }
}
