package dev.limiter.spring.operate;

import org.jspecify.annotations.Nullable;

/**
 * Where changes are kept beyond the life of an application, and where other instances learn of them. Thread-safe; may block
 * for about a second.
 */
public interface ChangeStore {

    /** Keeps nothing: changes hold in this instance, until it ends. */
    ChangeStore NONE = new ChangeStore() {

        @Override
        public @Nullable Changes newerThan(Changes known) {
            return null;
        }

        @Override
        public boolean replace(Changes next) {
            return true;
        }
    };

    /**
     * The changes that are kept; null if they are of the version that is known.
     *
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes newerThan(Changes known);

    /**
     * Keeps changes, if those that are kept are of the version before; false if they are not.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean replace(Changes next);
}
