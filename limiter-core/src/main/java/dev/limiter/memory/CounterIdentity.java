package dev.limiter.memory;

/**
 * The identity of a limit's count, passed on to all cells that continue it. Permits are returned only to a limit with
 * the same identity, where they still count. Does not refer to a cell, because the cell in use refers to it for as long
 * as the key is in use.
 */
final class CounterIdentity {

    /** Returns identities for the limits of a cell that continues no other. */
    static CounterIdentity[] fresh(int limits) {
        CounterIdentity[] origins = new CounterIdentity[limits];
        for (int i = 0; i < limits; i++) {
            origins[i] = new CounterIdentity();
        }
        return origins;
    }

    /**
     * Returns identities for the limits of a successor. A limit keeps the identity if it continues one that counts in
     * the same way. Held and used permits are not returned to each other, and permits that may be dropped are not
     * returned at all.
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

    /** Returns the position of the limit with this identity in a cell, or -1. */
    int in(Cell cell) {
        for (int i = 0; i < cell.bound.size(); i++) {
            if (cell.origin(i) == this) {
                return i;
            }
        }
        return -1;
    }
}
