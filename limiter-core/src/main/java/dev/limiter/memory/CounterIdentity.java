package dev.limiter.memory;

/**
 * Where the use of a limit began: the first of the cells that went on from each other, and the position of the limit
 * there. Permits are returned only where they still count: to a limit of the same origin. Compared by identity of the
 * cell, as cells are.
 */
record CounterIdentity(Cell first, int index) {

    /**
     * The origins of the limits of a successor. A limit goes on from one that counts in the same way; held permits and
     * used permits are not returned to each other.
     */
    static CounterIdentity[] of(BoundRule next, Cell predecessor) {
        CounterIdentity[] origins = new CounterIdentity[next.size()];
        for (int i = 0; i < origins.length; i++) {
            int previous = next.predecessor(i, predecessor.bound);
            boolean goesOn = previous >= 0 && next.holds(i) == predecessor.bound.holds(previous);
            // the predecessor is dead, and as good a name for a beginning as any
            origins[i] = goesOn ? predecessor.origin(previous) : new CounterIdentity(predecessor, -1 - i);
        }
        return origins;
    }

    /** The position of the limit of this origin in a cell; -1 if it has none. */
    int in(Cell cell) {
        for (int i = 0; i < cell.bound.size(); i++) {
            if (cell.origin(i).equals(this)) {
                return i;
            }
        }
        return -1;
    }
}
