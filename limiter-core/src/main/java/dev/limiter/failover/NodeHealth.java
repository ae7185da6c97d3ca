package dev.limiter.failover;

import dev.limiter.TimeSource;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The health of one node of a remote storage: a circuit breaker, and the probes that open and close it. Thread-safe.
 */
final class NodeHealth {

    private static final Duration PROBE_EVERY = Duration.ofMillis(500);

    /** The pause between successful probes. Does not use the common pool, which the application may block. */
    private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS, Runnable::run);

    /** Every fourth failed probe uses a new connection. */
    private static final int PROBES_OF_A_CONNECTION = 4;

    private final RemoteStorage remote;
    private final Timeouts timeouts;
    private final String node;
    private final StorageListener listener;
    private final TimeSource clock;
    private final CircuitBreaker breaker;
    private final AtomicInteger probes = new AtomicInteger();
    private final AtomicBoolean checking = new AtomicBoolean();

    /** Whether the node rejected a call as a whole (read-only, out of memory) since the last successful write. */
    private volatile boolean rejecting;

    private volatile Reading reading = new Reading(CompletableFuture.completedFuture(null), Duration.ZERO);

    /** One run of the thread that reads replies. All late calls wait for the same run. */
    private record Reading(CompletableFuture<?> marker, CompletableFuture<Boolean> inTime) {

        Reading(CompletableFuture<?> marker, Duration most) {
            this(
                    marker,
                    marker.handle((read, failure) -> true)
                            .completeOnTimeout(false, most.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    /** Creates the health of a node; {@code node} is the name that {@link RemoteStorage#node} returns. */
    NodeHealth(RemoteStorage remote, String node, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.timeouts = new Timeouts(remote::failure, this::answersRead);
        this.clock = clock;
        this.breaker = new CircuitBreaker(PROBE_EVERY, clock);
        this.node = node;
        this.listener = listener;
    }

    /** Returns the timeouts that wait for replies of this node. */
    Timeouts timeouts() {
        return timeouts;
    }

    /**
     * Completes with true when replies that have arrived are read, or with false if that takes too long. In that case,
     * no call waits for the reader again until it has run.
     */
    private CompletableFuture<Boolean> answersRead() {
        Reading current = reading;
        if (current.marker.isDone()) {
            Duration most = remote.timeout().multipliedBy(Timeouts.MOST_LATE);
            current = new Reading(Timeouts.started(() -> remote.answersRead(node)), most);
            reading = current;
        }
        return current.inTime;
    }

    /** Returns whether the node is down. */
    boolean isOpen() {
        return breaker.isOpen();
    }

    /**
     * Records a success; {@code wrote}: whether the call changed a state. Read-only replicas and full servers still
     * reply to reads.
     */
    void succeeded(boolean wrote) {
        if (wrote && rejecting) {
            rejecting = false;
        }
        if (!rejecting) {
            breaker.succeeded();
        }
    }

    /** Records the failure of a call that began at {@code begun}. */
    void failed(RuntimeException failure, long begun) {
        switch (reason(failure)) {
            // concerns one request; probes determine the health of the node
            case LACKS_RIGHT, BROKEN_STATE -> {}
            // this JVM was late; the node may be late as well
            case STOOD_STILL -> check();
            // a late probe is more reliable than late requests, even if this JVM is slow
            case TIMED_OUT -> {
                if (isTooMany(failure, begun)) {
                    check();
                }
            }
            case FAILED, NOT_DONE -> {
                if (isTooMany(failure, begun)) {
                    open(failure);
                }
            }
        }
    }

    private static Reason reason(RuntimeException failure) {
        return failure instanceof StorageUnavailableException unavailable ? unavailable.reason() : Reason.FAILED;
    }

    private boolean isTooMany(RuntimeException failure, long begun) {
        if (reason(failure) == Reason.NOT_DONE) {
            rejecting = true;
        }
        return breaker.failed(begun);
    }

    private void open(RuntimeException failure) {
        if (breaker.open()) {
            listener.lost(node, failure);
        }
    }

    /** Probes an open node from time to time, and closes it after several probes in time. Does not block. */
    void probe() {
        if (!breaker.probeIsDue()) {
            return;
        }
        if (probes.incrementAndGet() % PROBES_OF_A_CONNECTION == 0 && node.isEmpty()) {
            // a node that hangs keeps its connections, and another server may have taken over
            remote.reconnect();
        }
        probeOnce();
    }

    private void probeOnce() {
        var unused = run().whenComplete((wrote, failure) -> {
            if (failure != null) {
                breaker.probeFailed();
            } else if (breaker.probeSucceeded()) {
                probes.set(0);
                rejecting = false;
                listener.found(node);
            } else if (breaker.isOpen()) {
                SOON.execute(this::probeOnce);
            }
        });
    }

    /** Probes a node that is not open, and opens it if there were too many failures. */
    void check() {
        if (!checking.compareAndSet(false, true)) {
            return;
        }
        long begun = clock.epochNanos();
        var unused = run().whenComplete((wrote, failure) -> {
            checking.set(false);
            if (failure == null) {
                succeeded(wrote);
                return;
            }
            RuntimeException reason = remote.failure(failure);
            if (isTooMany(reason, begun)) {
                open(reason);
            }
        });
    }

    /**
     * Completes with true if the probe wrote, or with false if it lacks the permission to write; the node works then.
     */
    private CompletableFuture<Boolean> run() {
        CompletableFuture<?> reply = Timeouts.started(() -> remote.probe(node)).copy();
        return timeouts.patiently(reply, Budget.of(remote.timeout(), clock))
                .thenApply(done -> true)
                .exceptionally(this::lacksRight);
    }

    /** Reports a missing permission; throws any other failure of a probe. */
    private boolean lacksRight(Throwable failed) {
        RuntimeException failure = remote.failure(failed);
        if (reason(failure) != Reason.LACKS_RIGHT) {
            throw failure;
        }
        listener.lacksRight(failure.getMessage());
        return false;
    }
}
