package dev.limiter.spring.operate;

import dev.limiter.failover.StorageListener;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.decide.StorageEvent;
import dev.limiter.spring.decide.StorageEvent.State;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes storage events: first to each {@link RateLimitListener}, then as application events. A background thread
 * publishes them in order, and no decision waits for it. Events that occur before all beans are created are published
 * afterwards. If more than a hundred events are pending, the oldest are dropped. Thread-safe.
 */
public final class StorageEventPublisher implements StorageListener, SmartInitializingSingleton, DisposableBean {

    private static final Log logger = LogFactory.getLog(StorageEventPublisher.class);
    private static final int MOST_EVENTS = 100;
    private static final long IDLE_SECONDS = 10;

    private final String storage;
    private final ObjectProvider<RateLimitListener> available;
    private final ApplicationEventPublisher events;
    private final CompletableFuture<List<RateLimitListener>> listeners = new CompletableFuture<>();
    private final ThreadPoolExecutor publisher = new ThreadPoolExecutor(
            0,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_EVENTS),
            new DaemonThreads("limiter-storage-events"),
            new ThreadPoolExecutor.DiscardOldestPolicy());

    /** {@code storage}: the name of the storage. */
    public StorageEventPublisher(
            String storage, ObjectProvider<RateLimitListener> listeners, ApplicationEventPublisher events) {
        this.storage = storage;
        this.available = listeners;
        this.events = events;
    }

    @Override
    public void afterSingletonsInstantiated() {
        listeners.complete(available.orderedStream().toList());
    }

    @Override
    public void lost(String node, Throwable cause) {
        happened(State.LOST, node, cause);
    }

    @Override
    public void found(String node) {
        happened(State.FOUND, node, null);
    }

    private void happened(State state, String node, @Nullable Throwable cause) {
        StorageEvent event = new StorageEvent(state, storage, node, cause, Instant.now());
        publisher.execute(() -> publish(event));
    }

    private void publish(StorageEvent event) {
        try {
            for (RateLimitListener listener : listeners.get()) {
                guarded(event, each -> deliver(listener, each));
            }
            guarded(event, events::publishEvent);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void deliver(RateLimitListener listener, StorageEvent event) {
        if (event.state() == State.LOST) {
            listener.onStorageLost(event);
        } else {
            listener.onStorageFound(event);
        }
    }

    private static void guarded(StorageEvent event, Consumer<StorageEvent> listener) {
        try {
            listener.accept(event);
        } catch (RuntimeException failure) {
            logger.warn("A listener for storage events failed", failure);
        }
    }

    @Override
    public void destroy() {
        publisher.shutdownNow();
    }
}
