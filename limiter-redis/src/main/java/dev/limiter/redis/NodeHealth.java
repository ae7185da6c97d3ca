package dev.limiter.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Whether one server is asked, which is probed while it is not. Thread-safe. */
final class NodeHealth {

    private static final Duration PROBE_EVERY = Duration.ofMillis(500);

    /** Between probes that succeed. */
    private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    /** After so many failed probes another connection is tried. */
    private static final int PROBES_OF_A_CONNECTION = 4;

    /** More names of keys than that need not be tried to find one on a server. */
    private static final int MOST_KEYS = 10_000;

    private final RedisRateLimiterStorage storage;
    private final String node;
    private final StorageListener listener;
    private final Runnable found;
    private final CircuitBreaker breaker = new CircuitBreaker(PROBE_EVERY, System::nanoTime);
    private final AtomicInteger probes = new AtomicInteger();
    private volatile byte @Nullable [] probed;

    /**
     * @param node as {@link Redis#node} names it
     * @param found called when it is asked again
     */
    NodeHealth(RedisRateLimiterStorage storage, String node, StorageListener listener, Runnable found) {
        this.storage = storage;
        this.node = node;
        this.listener = listener;
        this.found = found;
    }

    /** Whether it is not asked. */
    boolean isOpen() {
        return breaker.isOpen();
    }

    void succeeded() {
        breaker.succeeded();
    }

    /** A call failed that was begun at that {@link System#nanoTime()}. */
    void failed(RuntimeException failure, long begun) {
        boolean stalled = failure instanceof RedisUnavailableException unavailable && unavailable.isOfThisJvm();
        if (!stalled && breaker.failed(begun)) {
            listener.lost(node, failure);
        }
    }

    /** Looks whether it works again, in time, now and then; nobody waits for that. */
    void probe() {
        if (!breaker.probeIsDue()) {
            return;
        }
        if (probes.incrementAndGet() % PROBES_OF_A_CONNECTION == 0 && node.isEmpty()) {
            // a server that hangs keeps its connections, and another one may have taken over
            storage.redis().reconnect();
        }
        probeOnce();
    }

    private void probeOnce() {
        var unused = run().whenComplete((done, failure) -> {
            if (failure != null) {
                breaker.probeFailed();
            } else if (breaker.probeSucceeded()) {
                probes.set(0);
                found.run();
                listener.found(node);
            } else if (breaker.isOpen()) {
                SOON.execute(this::probeOnce);
            }
        });
    }

    /** Finds out also while nobody asks. */
    void check() {
        long begun = System.nanoTime();
        var unused = run().whenComplete((done, failure) -> {
            if (failure == null) {
                succeeded();
            } else {
                failed(RedisErrors.of(failure), begun);
            }
        });
    }

    private CompletableFuture<byte[]> run() {
        byte[] key = key();
        return key == null
                ? CompletableFuture.failedFuture(new RedisUnavailableException("No slot is on " + node, null))
                : Timeouts.limited(
                        storage.redis()
                                .run(Scripts.PROBE, new byte[][] {key})
                                .toCompletableFuture()
                                .copy(),
                        Budget.of(storage.timeout()));
    }

    /** Whether the server is still one of those that have slots. */
    boolean exists() {
        return storage.redis().isClustered() ? !node.isEmpty() && key() != null : node.isEmpty();
    }

    /** A key that is on that server; null if there is none any more. */
    private byte @Nullable [] key() {
        byte[] known = probed;
        if (known != null && isHere(known)) {
            return known;
        }
        for (int i = 0; i < MOST_KEYS; i++) {
            String name = storage.keyPrefix() + "probe" + (node.isEmpty() ? "" : "{" + i + "}");
            byte[] key = name.getBytes(StandardCharsets.UTF_8);
            if (isHere(key)) {
                probed = key;
                return key;
            }
        }
        return null;
    }

    private boolean isHere(byte[] key) {
        return node.isEmpty() || storage.redis().node(storage.redis().slot(key)).equals(node);
    }
}
