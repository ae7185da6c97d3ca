package dev.limiter.spring.operate;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The changes that this instance knows, those before them, and the store of all instances. {@link
 * #current} is thread-safe.
 */
final class KeptChanges {

    private static final int REMEMBERED = 50;

    private final ChangeStore store;

    private volatile Changes current = Changes.NONE;

    /** The changes before, the latest last. */
    private final Deque<Changes> former = new ArrayDeque<>();

    KeptChanges(ChangeStore store) {
        this.store = store;
    }

    /** Where they are kept, for people. */
    String place() {
        return store.place();
    }

    /** The last ones that are known. */
    Changes current() {
        return current;
    }

    /**
     * The changes of the store; null if they are the current ones.
     *
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes other() {
        return store.otherThan(current);
    }

    /**
     * Keeps changes that follow the current ones; false if others do by now.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean replace(Changes next) {
        return store.replace(current, next);
    }

    /**
     * Keeps changes in the place of what cannot be read; false if it can.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean repair(Changes next) {
        return store.repair(next);
    }

    /** The ones before the last change; null if this instance has not seen that. */
    @Nullable
    Changes former() {
        return former.peekLast();
    }

    /** Knows the next ones as the current ones. */
    void remember(Changes next) {
        if (next.isSameAs(current)) {
            current = next;
            return;
        }
        if (!next.before().isEmpty() && next.before().get(0).equals(current.revision())) {
            former.addLast(current);
        } else {
            former.clear(); // the last change is unknown here
        }
        if (former.size() > REMEMBERED) {
            former.removeFirst();
        }
        current = next;
    }
}
