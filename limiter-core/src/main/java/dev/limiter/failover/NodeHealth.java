package dev.limiter.failover;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether one node of a remote storage is asked, which is probed while it is not. Thread-safe. */
final class NodeHealth {

    private static final Duration PROBE_EVERY = Duration.ofMillis(500);

    /** Between probes that succeed. */
    private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    /** After so many failed probes another connection is tried. */
    private static final int PROBES_OF_A_CONNECTION = 4;

    private final RemoteStorage remote;
    private final Timeouts timeouts;
    private final String node;
    private final StorageListener listener;
    private final Runnable found;
    private final TimeSource clock;
    private final CircuitBreaker breaker;
    private final AtomicInteger probes = new AtomicInteger();

    /**
     * @param node as {@link RemoteStorage#node} names it
     * @param found called when it is asked again
     */
    NodeHealth(RemoteStorage remote, String node, StorageListener listener, Runnable found, TimeSource clock) {
        this.remote = remote;
        this.timeouts = new Timeouts(remote.errors());
        this.clock = clock;
        this.breaker = new CircuitBreaker(PROBE_EVERY, clock);
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

    /** A call failed that was begun then. */
    void failed(RuntimeException failure, long begun) {
        boolean stalled = failure instanceof StorageUnavailableException unavailable && unavailable.isOfThisInstance();
        if (!stalled && breaker.failed(begun)) {
            listener.lost(node, failure);
        }
    }

    /** Looks whether it works again, in time, now and then, without blocking. */
    void probe() {
        if (!breaker.probeIsDue()) {
            return;
        }
        if (probes.incrementAndGet() % PROBES_OF_A_CONNECTION == 0 && node.isEmpty()) {
            // a node that hangs keeps its connections, and another one may have taken over
            remote.reconnect();
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

    /** Finds out also while no request does. */
    void check() {
        long begun = clock.epochNanos();
        var unused = run().whenComplete((done, failure) -> {
            if (failure == null) {
                succeeded();
            } else {
                failed(remote.errors().failure(failure), begun);
            }
        });
    }

    private CompletableFuture<?> run() {
        return timeouts.limited(remote.probe(node).toCompletableFuture().copy(), Budget.of(remote.timeout()));
    }
}
