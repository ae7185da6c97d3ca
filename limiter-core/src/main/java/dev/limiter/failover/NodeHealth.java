package dev.limiter.failover;

import dev.limiter.TimeSource;
import dev.limiter.failover.StorageUnavailableException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether one node of a remote storage is asked, which is probed while it is not. Thread-safe. */
final class NodeHealth {

    private static final Duration PROBE_EVERY = Duration.ofMillis(500);

    /** Between probes that succeed. No thread of the common pool, which tasks of the application may occupy. */
    private static final Executor SOON = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS, Runnable::run);

    /** After so many failed probes another connection is tried. */
    private static final int PROBES_OF_A_CONNECTION = 4;

    private final RemoteStorage remote;
    private final Timeouts timeouts;
    private final String node;
    private final StorageListener listener;
    private final TimeSource clock;
    private final CircuitBreaker breaker;
    private final AtomicInteger probes = new AtomicInteger();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final AtomicBoolean verifying = new AtomicBoolean();

    /** Whether a call was refused as a whole since the last write: an answer without a write does not contradict it. */
    private volatile boolean refusing;

    private volatile Reading reading = new Reading(CompletableFuture.completedFuture(null), Duration.ZERO);

    /** One run of the thread that reads answers, which all who wait await. */
    private record Reading(CompletableFuture<?> marker, CompletableFuture<Boolean> inTime) {

        Reading(CompletableFuture<?> marker, Duration most) {
            this(
                    marker,
                    marker.handle((read, failure) -> true)
                            .completeOnTimeout(false, most.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    /** {@code node}: its name, as {@link RemoteStorage#node} returns it. */
    NodeHealth(RemoteStorage remote, String node, StorageListener listener, TimeSource clock) {
        this.remote = remote;
        this.timeouts = new Timeouts(remote::failure, this::answersRead);
        this.clock = clock;
        this.breaker = new CircuitBreaker(PROBE_EVERY, clock);
        this.node = node;
        this.listener = listener;
    }

    /** Waits for its answers. */
    Timeouts timeouts() {
        return timeouts;
    }

    /**
     * True when the answers are read that have come, false if that takes too long: then nobody waits anew for the reader
     * until it has run.
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

    /** Whether it is not asked. */
    boolean isOpen() {
        return breaker.isOpen();
    }

    /** {@code wrote}: whether the call has changed a state; a replica and a full storage refuse that, and go on to read. */
    void succeeded(boolean wrote) {
        if (wrote && refusing) {
            refusing = false;
        }
        if (!refusing) {
            breaker.succeeded();
        }
    }

    /** A call failed that was begun then. */
    void failed(RuntimeException failure, long begun) {
        switch (reason(failure)) {
            // of one request: a probe finds out about the node
            case LACKS_RIGHT, BROKEN_STATE -> {}
            // this JVM was late; the node may be, too
            case STOOD_STILL -> check();
            case TIMED_OUT -> {
                if (isTooMany(failure, begun)) {
                    verify(failure);
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
            refusing = true;
        }
        return breaker.failed(begun);
    }

    private void open(RuntimeException failure) {
        if (breaker.open()) {
            listener.lost(node, failure);
        }
    }

    /** Gives the node up if a probe is not answered either, which says more than a request: however slow this JVM is. */
    private void verify(RuntimeException failure) {
        if (!verifying.compareAndSet(false, true)) {
            return;
        }
        var unused = run().whenComplete((wrote, failed) -> {
            verifying.set(false);
            if (failed == null) {
                succeeded(wrote);
            } else {
                open(failure);
            }
        });
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
        var unused = run().whenComplete((wrote, failure) -> {
            if (failure != null) {
                breaker.probeFailed();
            } else if (breaker.probeSucceeded()) {
                probes.set(0);
                refusing = false;
                listener.found(node);
            } else if (breaker.isOpen()) {
                SOON.execute(this::probeOnce);
            }
        });
    }

    /** Finds out also while no request does, or none can. */
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

    /** True if a probe has written, false if it lacks a right to: a node that refuses a user answers. */
    private CompletableFuture<Boolean> run() {
        CompletableFuture<?> answer = Timeouts.started(() -> remote.probe(node)).copy();
        return timeouts.patiently(answer, Budget.of(remote.timeout(), clock))
                .thenApply(done -> true)
                .exceptionally(this::lacksRight);
    }

    /** Tells of a missing right; throws any other failure of a probe. */
    private boolean lacksRight(Throwable failed) {
        RuntimeException failure = remote.failure(failed);
        if (reason(failure) != Reason.LACKS_RIGHT) {
            throw failure;
        }
        listener.lacksRight(failure.getMessage());
        return false;
    }
}
