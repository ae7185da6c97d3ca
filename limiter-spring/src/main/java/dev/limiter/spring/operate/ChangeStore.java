package dev.limiter.spring.operate;

import org.jspecify.annotations.Nullable;

/** Stores changes as one document. Thread-safe; may block for some seconds. */
public interface ChangeStore {

    /** Stores nothing, so changes end with this instance. */
    ChangeStore MEMORY = new ChangeStore() {

        @Override
        public @Nullable Changes load(Changes known) {
            return null;
        }

        @Override
        public boolean save(Changes next) {
            return true;
        }

        @Override
        public String place() {
            return "memory";
        }
    };

    /**
     * Returns the stored changes; null if they are unchanged since the last load or save.
     *
     * @param known the current changes, which a store that has lost its document saves again
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes load(Changes known);

    /**
     * Stores {@code next} if the stored changes are unchanged since the last load or save; otherwise returns false.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean save(Changes next);

    /** Returns a description of the place: {@code memory}, a file, or {@code redis}. */
    String place();
}
