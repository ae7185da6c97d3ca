package dev.limiter.spring.operate;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The changes that this instance knows, those before them, and the store of all instances. {@link #current} is thread-safe. */
final class KeptChanges {

    private static final int REMEMBERED = 50;

    private final ChangeStore store;

    private volatile Changes current = Changes.NONE;

    /** The changes before, the latest last. */
    private final Deque<Changes> former = new ArrayDeque<>();

    KeptChanges(ChangeStore store) {
        this.store = store;
    }

    /** The last ones that are known. */
    Changes current() {
        return current;
    }

    /**
     * Those of the store; null if they are known.
     *
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes newer() {
        return store.newerThan(current);
    }

    /**
     * Keeps changes that follow the current ones; false if others do by now.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean replace(Changes next) {
        return store.replace(next);
    }

    /** The ones before the last change; null if this instance has not seen that. */
    @Nullable
    Changes former() {
        return former.peekLast();
    }

    /** Knows the next ones as the current ones. */
    void remember(Changes next) {
        if (next.version() == current.version() + 1) {
            former.addLast(current);
        } else {
            former.clear(); // nobody here knows what the last change was
        }
        if (former.size() > REMEMBERED) {
            former.removeFirst();
        }
        current = next;
    }
}
