package dev.limiter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one state in the order of their arrival. A turn that is given up moves all behind it up by raising an
 * offset that they share, in O(log n); each learns of it when it is read. Used with the lock of the queues held.
 *
 * <p>Every waiter sets a timer for the turn that it had on arrival. The queue has a timer of its own for turns that
 * moved up since, and of these only for the first: turns that {@linkplain QueuedTurn#kept() keep} as much for others
 * come one after the other.
 */
final class TurnQueue {

    private static final int LEAST_CAPACITY = 16;

    /** One turn of a waiter. */
    final class Place {

        private final Waiter waiter;
        private final QueuedTurn turn;
        private int position;

        /** The offset up to which the turn has moved. */
        private long movedUp;

        private Place(Waiter waiter, QueuedTurn turn) {
            this.waiter = waiter;
            this.turn = turn;
        }

        TurnQueue queue() {
            return TurnQueue.this;
        }

        /** Tells the turn by how much it has moved up. */
        void settle() {
            long offset = offsets.at(position);
            if (offset != movedUp) {
                turn.moveUp(offset - movedUp);
                movedUp = offset;
            }
        }

        private long nanos() {
            settle();
            return turn.nanos();
        }
    }

    /** The rule and key of these turns. */
    final Object state;

    private @Nullable Place[] places = new Place[LEAST_CAPACITY];
    private FenwickTree offsets = new FenwickTree(LEAST_CAPACITY);
    private int end;
    private int size;

    /** Turns at this position and behind it have not moved since their arrival. */
    private int movedUntil;

    /** Turns that are still to come, by what they keep for others. */
    private final Map<Long, Set<Place>> coming = new HashMap<>();

    /** When the timer of this queue rings; {@link Long#MAX_VALUE} if it is not set. */
    long timerAt = Long.MAX_VALUE;

    Runnable cancelTimer = () -> {};

    TurnQueue(Object state) {
        this.state = state;
    }

    boolean isEmpty() {
        return size == 0;
    }

    Place add(Waiter waiter, QueuedTurn turn) {
        if (end == places.length) {
            compact();
        }
        Place place = new Place(waiter, turn);
        put(place);
        coming.computeIfAbsent(turn.kept(), kept -> new LinkedHashSet<>()).add(place);
        return place;
    }

    private void put(Place place) {
        place.position = end;
        place.movedUp = offsets.at(end);
        places[end++] = place;
        size++;
    }

    /** Leaves out the positions that are free; at least as many are free behind the last one then. */
    private void compact() {
        List<Place> left = new ArrayList<>(size);
        int moved = 0;
        for (Place place : places) {
            if (place != null) {
                place.settle();
                left.add(place);
                moved += place.position < movedUntil ? 1 : 0;
            }
        }
        places = new Place[Math.max(LEAST_CAPACITY, 2 * size)];
        offsets = new FenwickTree(places.length);
        end = 0;
        size = 0;
        movedUntil = moved;
        left.forEach(this::put);
    }

    /** Takes out a turn: those behind stay what they are. */
    void remove(Place place) {
        place.settle();
        places[place.position] = null;
        size--;
        Set<Place> same = coming.get(place.turn.kept());
        if (same != null && same.remove(place) && same.isEmpty()) {
            coming.remove(place.turn.kept());
        }
    }

    /** Takes out a turn and returns its permits: those behind move up. */
    void giveUp(Place place) {
        remove(place);
        long units = place.turn.giveUp();
        if (units != 0 && place.position < end - 1) {
            offsets.raiseFrom(place.position + 1, units);
            movedUntil = end;
        }
    }

    /** When the first turn comes that its waiter may expect later; {@link Long#MAX_VALUE} if there is none. */
    long firstMoved() {
        long first = Long.MAX_VALUE;
        if (movedUntil > 0) {
            for (Set<Place> same : coming.values()) {
                Place head = same.iterator().next();
                first = head.position < movedUntil ? Math.min(first, head.nanos()) : first;
            }
        }
        return first;
    }

    /** The waiters whose turns in this queue have come; each is told once. */
    List<Waiter> come(long now) {
        List<Waiter> come = new ArrayList<>();
        for (Iterator<Set<Place>> sets = coming.values().iterator(); sets.hasNext(); ) {
            Set<Place> same = sets.next();
            Iterator<Place> heads = same.iterator();
            for (boolean more = heads.hasNext(); more; more = more && heads.hasNext()) {
                Place head = heads.next();
                more = head.nanos() <= now;
                if (more) {
                    heads.remove();
                    come.add(head.waiter);
                }
            }
            if (same.isEmpty()) {
                sets.remove();
            }
        }
        return come;
    }
}
