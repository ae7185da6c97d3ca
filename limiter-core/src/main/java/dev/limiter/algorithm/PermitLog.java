package dev.limiter.algorithm;

import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.LimitState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times at which permits were taken, oldest first, each with their number: the state of a sliding window log.
 *
 * <p>Entries lie in chunks of at most {@link PermitLogChunk#MOST}. Permits are added to the newest chunk and forgotten
 * from the oldest; the chunks between the two are an immutable {@link ChunkTree}. A log of few entries is one chunk, at
 * once the oldest and the newest, whose array grows and shrinks with it.
 *
 * <p>Work per call is bounded whatever is stored: at most all entries of the oldest and of the newest chunk, and one
 * path of the tree (with a million entries 5 levels of 16 nodes, where giving back leaves chunks full). That includes a
 * call after a long pause (chunks leave by cutting the tree), after a step back of the clock (times are kept relative
 * to an offset), and the first one after another limit took over (the tree is shared, the newest chunk copied).
 */
final class PermitLog implements LimitState, Uses.Timed {

    private static final int SMALLEST = 2;

    /** The most entries that another kind of limit takes over one by one: longer logs are nearly even. */
    private static final int MOST_USES = 1000;

    private final long limit;
    private final long window;

    /** A chunk that never changes unless it is the newest as well. */
    private long[] oldest = new long[2 * SMALLEST];

    private @Nullable ChunkTree middle;
    private long[] newest = oldest;

    /** The first entry of the oldest chunk that counts. */
    private int from;

    /** The end of the entries of the newest chunk. */
    private int to;

    /** The permits of all entries, of which none has zero. */
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
            return Decision.NEVER;
        }
        long time = forget(now);
        long missing = permits - (limit - total);
        return missing <= 0 ? 0 : timeOf(missing) + window - time;
    }

    /** When the permit with this number was taken, counted from 1. */
    private long timeOf(long permit) {
        int end = endOfOldest();
        int entry = PermitLogChunk.entryOf(oldest, from, end, permit);
        if (entry < end) {
            return PermitLogChunk.time(oldest, entry);
        }
        long left = permit - PermitLogChunk.permits(oldest, from, end);
        if (middle != null) {
            if (left <= middle.permits) {
                return middle.timeOf(left);
            }
            left -= middle.permits;
        }
        return PermitLogChunk.time(newest, PermitLogChunk.entryOf(newest, 0, to, left));
    }

    @Override
    public long take(long now, long permits) {
        long time = forget(now);
        if (permits <= 0) {
            return now;
        }
        // a clock that stepped back a little: in order, and as late as the last one
        if (total > 0 && last() - time >= 0) {
            newest[2 * to - 1] += permits;
        } else {
            add(time, permits);
        }
        total += permits;
        return last() - offset;
    }

    private void add(long time, long permits) {
        if (2 * to == newest.length) {
            makeRoom();
        }
        newest[2 * to] = time;
        newest[2 * to + 1] = permits;
        to++;
    }

    private void makeRoom() {
        if (from > 0 && isOneChunk()) {
            resize(to);
        } else if (to < PermitLogChunk.MOST) {
            resize(2 * to);
        } else {
            if (!isOneChunk()) {
                middle = ChunkTree.append(middle, newest);
            }
            newest = new long[2 * PermitLogChunk.MOST];
            to = 0;
        }
    }

    /** Moves the entries of the only chunk to the start of its array; to another one if that has another size. */
    private void resize(int size) {
        long[] resized = 2 * size == newest.length ? newest : new long[2 * size];
        PermitLogChunk.move(newest, 2 * from, resized, 0, 2 * (to - from));
        to -= from;
        from = 0;
        newest = resized;
        oldest = resized;
    }

    @Override
    public void giveBack(long mark, long now, long permits) {
        forget(now);
        long time = mark + offset;
        if (total == 0 || permits <= 0) {
            return;
        }
        if (isOneChunk() || time - PermitLogChunk.time(newest, 0) >= 0) {
            giveBackToNewest(time, permits);
        } else if (time - PermitLogChunk.time(oldest, endOfOldest() - 1) <= 0) {
            giveBackToOldest(time, permits);
        } else if (middle != null) {
            long returned = Math.min(permits, middle.permitsAt(time));
            middle = returned == 0 ? middle : ChunkTree.trim(middle.without(time, returned));
            total -= returned;
        }
    }

    private void giveBackToNewest(long time, long permits) {
        int entry = PermitLogChunk.find(newest, startOfNewest(), to, time);
        if (entry < 0) {
            return;
        }
        long returned = Math.min(permits, PermitLogChunk.permits(newest, entry));
        total -= returned;
        newest[2 * entry + 1] -= returned;
        if (newest[2 * entry + 1] == 0) {
            to--;
            PermitLogChunk.move(newest, 2 * entry + 2, newest, 2 * entry, 2 * (to - entry));
        }
        if (total == 0) {
            clear();
        } else if (to == startOfNewest()) {
            reopenNewest();
        }
    }

    /** The newest chunk is empty: the one before it becomes the newest, as a copy, since others may share it. */
    private void reopenNewest() {
        long[] last = middle == null ? oldest : middle.lastChunk();
        newest = Arrays.copyOf(last, 2 * PermitLogChunk.MOST);
        to = PermitLogChunk.size(last);
        if (middle == null) {
            oldest = newest;
        } else {
            middle = ChunkTree.trim(middle.withoutLast());
        }
    }

    private void giveBackToOldest(long time, long permits) {
        int entry = PermitLogChunk.find(oldest, from, endOfOldest(), time);
        if (entry < 0) {
            return;
        }
        long returned = Math.min(permits, PermitLogChunk.permits(oldest, entry));
        total -= returned;
        oldest = PermitLogChunk.without(oldest, entry, returned);
        if (from == endOfOldest()) {
            nextChunk();
        }
    }

    @Override
    public long remaining(long now) {
        forget(now);
        return Math.max(limit - total, 0);
    }

    @Override
    public long freshAt(long now) {
        forget(now);
        return total == 0 ? now : last() - offset + window;
    }

    /** A log shares the entries of the previous one, which may live on, and forgets what has left its own window. */
    @Override
    public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
        if (previous instanceof PermitLog log) {
            log.forget(now);
            newest = log.newest.clone();
            oldest = log.isOneChunk() ? newest : log.oldest;
            middle = log.middle;
            from = log.from;
            to = log.to;
            total = log.total;
            offset = log.offset;
        } else {
            for (Uses.Use use : Uses.since(now - window + 1, Uses.of(previous, previousLimit, now))) {
                take(use.middle(), use.permits());
            }
        }
    }

    @Override
    public List<Uses.Use> uses(long now) {
        forget(now);
        List<Uses.Use> uses = new ArrayList<>();
        if (total > 0 && !isOneChunk()) {
            addUses(oldest, from, endOfOldest(), now, uses);
            for (ChunkTree rest = middle; rest != null && uses.size() <= MOST_USES; rest = rest.withoutFirst()) {
                long[] chunk = rest.firstChunk();
                addUses(chunk, 0, PermitLogChunk.size(chunk), now, uses);
            }
        }
        addUses(newest, startOfNewest(), to, now, uses);
        return uses.size() <= MOST_USES ? uses : Uses.between(uses.get(0).from(), last() - offset, total, now);
    }

    private void addUses(long[] chunk, int from, int to, long now, List<Uses.Use> uses) {
        for (int entry = from; entry < to; entry++) {
            long time = PermitLogChunk.time(chunk, entry) - offset;
            uses.addAll(Uses.between(time, time, PermitLogChunk.permits(chunk, entry), now));
        }
    }

    /** Drops what has left the window; returns the time that an entry of now has. */
    private long forget(long now) {
        if (total == 0) {
            return now;
        }
        long ahead = last() - offset - now;
        if (ahead > window / 2) {
            // the clock stepped back far: what is remembered moves back with it, or it would block for too long
            offset += ahead;
        }
        long time = now + offset;
        if (last() - time <= -window) {
            clear();
            return now;
        }
        if (PermitLogChunk.time(oldest, from) - time <= -window) {
            drop(time - window);
        }
        return time;
    }

    /** Drops all entries up to a time, but not the last one. */
    private void drop(long time) {
        while (!isOneChunk() && PermitLogChunk.time(oldest, endOfOldest() - 1) - time <= 0) {
            total -= PermitLogChunk.permits(oldest, from, endOfOldest());
            if (middle != null) {
                long before = middle.permits;
                middle = middle.startingAt(time);
                total -= before - middle.permits;
            }
            nextChunk();
        }
        for (; PermitLogChunk.time(oldest, from) - time <= 0; from++) {
            total -= PermitLogChunk.permits(oldest, from);
        }
        if (isOneChunk() && newest.length > 2 * SMALLEST && 8 * (to - from) < newest.length) {
            resize(PermitLogChunk.size(newest) / 2);
        }
    }

    private void nextChunk() {
        from = 0;
        oldest = middle == null ? newest : middle.firstChunk();
        middle = middle == null ? null : ChunkTree.trim(middle.withoutFirst());
    }

    private void clear() {
        newest = newest.length > 2 * SMALLEST ? new long[2 * SMALLEST] : newest;
        oldest = newest;
        middle = null;
        from = 0;
        to = 0;
        total = 0;
        offset = 0;
    }

    @SuppressWarnings("ReferenceEquality") // whether both are the same array, not equal ones
    private boolean isOneChunk() {
        return oldest == newest;
    }

    private int endOfOldest() {
        return isOneChunk() ? to : PermitLogChunk.size(oldest);
    }

    private int startOfNewest() {
        return isOneChunk() ? from : 0;
    }

    private long last() {
        return PermitLogChunk.time(newest, to - 1);
    }
}
