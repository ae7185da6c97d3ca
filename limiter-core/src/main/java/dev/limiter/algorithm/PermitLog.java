package dev.limiter.algorithm;

import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.TakenPermits;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a sliding window log: the times at which permits were taken, oldest first, each with the number of
 * permits.
 *
 * <p>Entries are stored in chunks. A call visits each chunk at most once, and the entries of at most two chunks, so it
 * takes microseconds even with a million entries. Only a changed limit copies all entries.
 */
final class PermitLog implements LimitState {

    private final long limit;
    private final long window;

    /** The chunks before the newest, oldest first. None is empty. */
    private List<LogChunk> older = List.of();

    /** Empty only if the log is empty. */
    private LogChunk newest = new LogChunk();

    /** The permits of all entries. */
    private long total;

    /** How far the clock has stepped back: entries are recorded at {@code now + offset}. Zero without entries. */
    private long offset;

    /** Creates a log; {@code window} in nanoseconds. */
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

    /** Returns when a permit was taken, by its number counted from 1. */
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
            // the clock stepped back a little: use the time of the last entry, to keep the order
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

    /** Copies all entries of another log. They expire when they leave the window of this limit. */
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

    /** Removes the entries that have left the window, and returns the time at which to record a new one. */
    private long forget(long now) {
        if (total == 0) {
            return now;
        }
        long ahead = newest.last() - offset - now;
        if (ahead > window / 2) {
            // the clock stepped back far: move the entries back too, or they would block for too long
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

    /** Removes all entries up to a time before the last entry. */
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
