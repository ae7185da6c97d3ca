package dev.limiter.memory;

import dev.limiter.ReleaseListener;
import org.jspecify.annotations.Nullable;

/** Passes on that something which was held is free again. Thread-safe. */
final class Releases {

    private volatile @Nullable ReleaseListener listener;

    void listener(ReleaseListener listener) {
        this.listener = listener;
    }

    /** Something that was counted in a cell no longer is. */
    void of(Cell cell) {
        ReleaseListener current = listener;
        if (current != null && cell.bound.holds()) {
            current.released(cell.bound.rule.name(), cell.key);
        }
    }
}
