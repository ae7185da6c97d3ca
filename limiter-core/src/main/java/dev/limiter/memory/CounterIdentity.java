package dev.limiter.memory;

/**
 * Where the use of a limit began, and from then on the identity of its count in all cells that go on from each other.
 * Permits are returned only where they still count: to a limit of the same origin. Compared by identity; refers to no
 * cell, because the cell in use refers to it for as long as a key is in use.
 */
final class CounterIdentity {

    /** The origins of the limits of a cell that goes on from no other. */
    static CounterIdentity[] fresh(int limits) {
        CounterIdentity[] origins = new CounterIdentity[limits];
        for (int i = 0; i < limits; i++) {
            origins[i] = new CounterIdentity();
        }
        return origins;
    }

    /**
     * The origins of the limits of a successor. A limit goes on from one that counts in the same way; held permits and
     * used permits are not returned to each other, and permits that may be forgotten are not returned at all.
     */
    static CounterIdentity[] of(BoundRule next, Cell predecessor) {
        CounterIdentity[] origins = fresh(next.size());
        for (int i = 0; i < origins.length; i++) {
            int previous = next.predecessor(i, predecessor.bound);
            if (previous >= 0
                    && next.holds(i) == predecessor.bound.holds(previous)
                    && !next.forgetsExcess(i, predecessor.bound.limit(previous))) {
                origins[i] = predecessor.origin(previous);
            }
        }
        return origins;
    }

    /** The position of the limit of this origin in a cell; -1 if it has none. */
    int in(Cell cell) {
        for (int i = 0; i < cell.bound.size(); i++) {
            if (cell.origin(i) == this) {
                return i;
            }
        }
        return -1;
    }
}
