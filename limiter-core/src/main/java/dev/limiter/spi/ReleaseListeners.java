package dev.limiter.spi;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The listeners of a storage. Each is called once for every release, however often it was added, and whatever another
 * one throws. Thread-safe.
 */
public final class ReleaseListeners implements ReleaseListener {

    private final CopyOnWriteArrayList<ReleaseListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean unreported;

    /** Has a listener told from now on. */
    public void add(ReleaseListener listener) {
        listeners.addIfAbsent(listener);
        if (unreported) {
            Listeners.tell(listener::unreported);
        }
    }

    /** Has a listener no longer told; nothing happens if it was not. */
    public void remove(ReleaseListener listener) {
        listeners.remove(listener);
    }

    @Override
    public void released(String rule, String key) {
        for (ReleaseListener listener : listeners) {
            Listeners.tell(() -> listener.released(rule, key));
        }
    }

    /** Those that are added later hear of it, too. */
    @Override
    public void unreported() {
        unreported = true;
        for (ReleaseListener listener : listeners) {
            Listeners.tell(listener::unreported);
        }
    }
}
