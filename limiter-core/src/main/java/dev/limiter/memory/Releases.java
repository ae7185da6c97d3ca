package dev.limiter.memory;

import dev.limiter.ReleaseListeners;

/** Passes on that something which was held is free again. Thread-safe. */
final class Releases {

    final ReleaseListeners listeners = new ReleaseListeners();

    /** Something that was counted in a cell no longer is. */
    void of(Cell cell) {
        if (cell.bound.holds()) {
            listeners.released(cell.bound.rule.name(), cell.key);
        }
    }
}
