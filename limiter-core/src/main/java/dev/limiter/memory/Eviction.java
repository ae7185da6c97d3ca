package dev.limiter.memory;

import dev.limiter.TimeSource;
import dev.limiter.spi.CompiledLimit;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How many cells there are, and which of them leave. The place of a cell follows from its state: {@link #file} works it
 * out, and looks again after the cell has been put there, so that a change meanwhile is not missed; the thread that
 * makes a cell fresh earlier looks at its place after the change. A place may be early, which is noticed when its time
 * comes, but never late.
 *
 * <p>To make room, some cells are looked at, all if they are few, else the newest and others at random, and the one
 * leaves whose tightest limit is used least; of equals, the newest. Cells at their limit, or that hold permits, are
 * guarded until they no longer are.
 */
class Eviction {

    /** Cells that a new key looks at although there is room. More than one, so that leaving keeps up with coming. */
    private static final int STEPS = 4;

    /** Samples that a new key takes at most. With 1 % of slack, all cells have been looked at before that is used up. */
    private static final int SAMPLES = 13;

    private final EvictionQueues places;
    private final LongAdder expired = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private final TimeSource clock;

    Eviction(long max, TimeSource clock) {
        this.places = new EvictionQueues(max);
        this.clock = clock;
    }

    final long size() {
        return places.size();
    }

    final long expired() {
        return expired.sum();
    }

    final long evicted() {
        return evicted.sum();
    }

    /**
     * Gives a new cell its place, before it is found by its key, if there is room or can be made. The place is early:
     * where the cell belongs once it has been decided on is found out when its time comes.
     */
    boolean admit(Cell cell) {
        long now = clock.epochNanos();
        expireSome(now);
        makeRoom(now);
        return places.enter(cell, now);
    }

    private void makeRoom(long now) {
        for (int i = 0; i < SAMPLES && places.isFull(); i++) {
            Cell[] sample = places.sample();
            if (sample.length == 0) {
                return;
            }
            evict(least(sample, now), now);
        }
    }

    /** Gives its place to a new cell that keys share for which there is no room. */
    void admitShared(Cell cell) {
        places.enter(cell, clock.epochNanos());
    }

    /** Whether {@link #admit} would give a cell a place; evicts nothing. */
    final boolean hasRoom() {
        long now = clock.epochNanos();
        expireSome(now);
        for (int i = 0; i < SAMPLES && places.isFull(); i++) {
            Cell[] sample = places.sample();
            if (sample.length == 0) {
                break;
            }
            if (least(sample, now) != null) {
                return true;
            }
        }
        return places.hasRoom(now);
    }

    /** Takes the place of a cell that was reset away, or that another one was faster than. */
    void forget(Cell cell) {
        places.leave(cell);
    }

    /** Gives a cell's successor its place, instead of the cell; early, as that of a new cell. */
    void succeeded(Cell dead, Cell successor) {
        places.replace(dead, successor, clock.epochNanos() + 1);
    }

    /** Puts a cell where it belongs that may be fresh, or free, earlier than before. */
    void relaxed(Cell cell) {
        VarHandle.fullFence();
        ExpiryQueue.Tick place = cell.tick;
        // without a place, it is just being given one: an early one, or by a thread that will look again
        if (place != null && isMisplaced(cell, place)) {
            file(cell, places.isGuarded(place));
        }
    }

    final void cleanUp() {
        long now = clock.epochNanos();
        while (expireOne(now) && !Thread.currentThread().isInterrupted()) {}
    }

    private void expireSome(long now) {
        for (int i = 0; i < STEPS && expireOne(now); i++) {}
    }

    /** Takes one step on cells that are due; false if none is. */
    private boolean expireOne(long now) {
        Cell cell = places.poll(now);
        if (cell == null) {
            return false;
        }
        long word = cell.word();
        if (cell.freshAt(word) <= now && cell.die(word)) {
            leave(cell, expired);
        } else {
            file(cell, false);
        }
        return true;
    }

    /** The cell of a sample that uses least; null if all are guarded from now on, or one has made room. */
    private @Nullable Cell least(Cell[] sample, long now) {
        Cell least = null;
        double smallest = Double.MAX_VALUE;
        for (Cell cell : sample) {
            long word = cell.word();
            if (word == Cell.DEAD) {
                places.leave(cell);
                return null;
            }
            if (isGuarded(cell, word, now)) {
                file(cell, true);
            } else {
                double share = rank(cell, word, now);
                if (share < smallest) {
                    smallest = share;
                    least = cell;
                }
            }
        }
        return least;
    }

    /** The rank of a cell: the candidate of lower rank is evicted. */
    double rank(Cell cell, long word, long now) {
        return cell.usedShare(word, now);
    }

    private void evict(@Nullable Cell cell, long now) {
        if (cell != null) {
            long word = cell.word();
            // it may have come to its limit since it was looked at
            if (!isGuarded(cell, word, now) && cell.die(word)) {
                leave(cell, evicted);
            }
        }
    }

    private void leave(Cell cell, LongAdder cause) {
        // other threads that find it dead may have done both
        cell.bound.cells.remove(cell);
        places.leave(cell);
        cause.increment();
    }

    /** Puts a cell where its state belongs; {@code guard}: if it is at its limit, until it no longer is. */
    private void file(Cell cell, boolean guard) {
        boolean misplaced = true;
        while (misplaced) {
            place(cell, guard);
            // a full fence lies between: the thread that changes the cell now sees the place, or its change is seen
            // here
            ExpiryQueue.Tick place = cell.tick;
            misplaced = place != null && isMisplaced(cell, place);
        }
    }

    void place(Cell cell, boolean guard) {
        long now = clock.epochNanos();
        long word = cell.word();
        if (word == Cell.DEAD) {
            return; // the thread by which it died takes its place
        }
        if (isHeld(cell, word) || guard && isGuarded(cell, word, now)) {
            places.guard(cell, guardedUntil(cell, word, now));
        } else {
            // a cell that is in use is looked at again in the next tick, however fresh it is
            places.expire(cell, Math.max(cell.freshAt(word), now + 1));
        }
    }

    /** Whether a cell stands at a place where it would be found too late. */
    final boolean isMisplaced(Cell cell, ExpiryQueue.Tick place) {
        long word = cell.word();
        if (word == Cell.DEAD) {
            return false;
        }
        long fresh = cell.freshAt(word);
        if (places.isGuarded(place)) {
            long now = clock.epochNanos();
            return places.isLate(place, fresh, Math.max(guardedUntil(cell, word, now), now + 1));
        }
        return places.isLate(place, fresh, fresh)
                && places.isLate(place, Math.max(fresh, clock.epochNanos() + 1), fresh);
    }

    private static boolean isGuarded(Cell cell, long word, long now) {
        return word != Cell.DEAD && guardedUntil(cell, word, now) > now;
    }

    private static boolean isHeld(Cell cell, long word) {
        return cell.freshAt(word) == CompiledLimit.NOT_BY_TIME;
    }

    /** Until when a cell may not leave; the end of time if that depends on when others release what they hold. */
    private static long guardedUntil(Cell cell, long word, long now) {
        return isHeld(cell, word) ? Long.MAX_VALUE : cell.freeAt(word, now);
    }
}
