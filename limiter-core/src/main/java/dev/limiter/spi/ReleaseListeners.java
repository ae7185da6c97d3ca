package dev.limiter.spi;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The release listeners of a storage. Each is called once per release, however often it was added; exceptions in one do
 * not affect others. Thread-safe.
 */
public final class ReleaseListeners implements ReleaseListener {

    private final CopyOnWriteArrayList<ReleaseListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean unreported;

    /** Registers a listener for later releases. */
    public void add(ReleaseListener listener) {
        listeners.addIfAbsent(listener);
        if (unreported) {
            Listeners.call(listener::unreported);
        }
    }

    /** Removes a listener; does nothing if it was not added. */
    public void remove(ReleaseListener listener) {
        listeners.remove(listener);
    }

    @Override
    public void released(String rule, String key) {
        for (ReleaseListener listener : listeners) {
            Listeners.call(() -> listener.released(rule, key));
        }
    }

    /** Notifies all listeners, including those that are added later. */
    @Override
    public void unreported() {
        unreported = true;
        for (ReleaseListener listener : listeners) {
            Listeners.call(listener::unreported);
        }
    }
}
