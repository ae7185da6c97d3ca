package dev.limiter.spring.operate;

import dev.limiter.Charge;
import dev.limiter.failover.StorageListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Calls all listeners. Their failures do not affect decisions. Thread-safe if they are. */
public final class StorageListeners implements StorageListener {

    private static final Log logger = LogFactory.getLog(StorageListeners.class);

    private final List<StorageListener> listeners;

    public StorageListeners(List<StorageListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public @Nullable Consumer<Outcome> asking(List<Charge> charges) {
        List<Consumer<Outcome>> ends = new ArrayList<>(1);
        tell(listener -> {
            Consumer<Outcome> end = listener.asking(charges);
            if (end != null) {
                ends.add(end);
            }
        });
        return ends.isEmpty() ? null : outcome -> ends.forEach(end -> guarded(() -> end.accept(outcome)));
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        tell(listener -> listener.asked(outcome, took));
    }

    @Override
    public void joined(String node) {
        tell(listener -> listener.joined(node));
    }

    @Override
    public void left(String node) {
        tell(listener -> listener.left(node));
    }

    @Override
    public void lost(String node, Throwable cause) {
        tell(listener -> listener.lost(node, cause));
    }

    @Override
    public void found(String node) {
        tell(listener -> listener.found(node));
    }

    @Override
    public void lacksRight(@Nullable String message) {
        tell(listener -> listener.lacksRight(message));
    }

    @Override
    public void broken(@Nullable String message) {
        tell(listener -> listener.broken(message));
    }

    private void tell(Consumer<StorageListener> message) {
        for (StorageListener listener : listeners) {
            guarded(() -> message.accept(listener));
        }
    }

    private static void guarded(Runnable message) {
        try {
            message.run();
        } catch (RuntimeException failure) {
            logger.warn("A storage listener failed", failure);
        }
    }
}
