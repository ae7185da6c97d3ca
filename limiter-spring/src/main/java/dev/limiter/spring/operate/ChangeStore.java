package dev.limiter.spring.operate;

import org.jspecify.annotations.Nullable;

/** Where changes are kept, as one document. Thread-safe; may block for some seconds. */
public interface ChangeStore {

    /** Keeps nothing: changes end with this instance. */
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
     * The stored changes; null if they are those that this store has loaded or saved last.
     *
     * @param known those in force, which a store that has lost them saves again
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes load(Changes known);

    /**
     * Stores {@code next} if the stored changes are still those that this store has loaded or saved last; otherwise
     * returns false.
     *
     * @throws ChangeStoreException if they cannot be written
     */
    boolean save(Changes next);

    /** Where that is, for people: {@code memory}, a file, {@code redis}. */
    String place();
}
