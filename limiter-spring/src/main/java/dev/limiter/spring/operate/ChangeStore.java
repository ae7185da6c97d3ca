package dev.limiter.spring.operate;

import org.jspecify.annotations.Nullable;

/**
 * Where changes are kept beyond the life of an application, and where other instances learn of them. Thread-safe; may
 * block for some seconds.
 */
public interface ChangeStore {

    /** Keeps nothing: changes hold in this instance, until it ends. */
    ChangeStore NONE = new ChangeStore() {

        @Override
        public @Nullable Changes otherThan(Changes known) {
            return null;
        }

        @Override
        public boolean replace(Changes former, Changes next) {
            return true;
        }

        @Override
        public String place() {
            return "memory";
        }
    };

    /**
     * The changes that are kept; null if they are those that are known. A store that has lost those writes them again.
     *
     * @throws ChangeStoreException if they cannot be read
     */
    @Nullable
    Changes otherThan(Changes known);

    /**
     * Keeps changes, if those that are kept are the ones before; false if they are not.
     *
     * @throws ChangeStoreException if they cannot be written, or if that is not known
     */
    boolean replace(Changes former, Changes next);

    /**
     * Keeps changes in the place of what cannot be read; false if it can.
     *
     * @throws ChangeStoreException as {@link #replace}
     */
    default boolean repair(Changes next) {
        return false;
    }

    /** Where that is, for people: {@code memory}, a file, {@code redis}. */
    default String place() {
        return toString();
    }
}
