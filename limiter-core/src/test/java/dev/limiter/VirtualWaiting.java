package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.waiting.AsyncExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/** Limiters with requests that wait in virtual time: timers run while a test advances the clock. Not thread-safe. */
public final class VirtualWaiting {

    public final VirtualTime time;
    public final VirtualTimer timer;
    public final RateLimiters limiters;
    private final Queue<Runnable> completions = new ConcurrentLinkedQueue<>();

    public VirtualWaiting(RateLimiterStorage storage, VirtualTime time) {
        this.time = time;
        this.timer = new VirtualTimer(time);
        this.limiters = new RateLimiters(storage, timer, new AsyncExecutor(completions::add));
    }

    /** A submitted request. */
    public final class Request {

        public final CompletableFuture<Decision> future;

        /** When it completed, by the virtual clock. */
        private long doneAt;

        Request(CompletableFuture<Decision> future) {
            this.future = future;
            var unused = future.whenComplete((decision, failure) -> doneAt = time.now());
        }

        public boolean waits() {
            settle();
            return !future.isDone();
        }

        public boolean isPermitted() {
            return !waits() && !future.isCompletedExceptionally() && outcome().permitted();
        }

        public boolean isRejected() {
            return !waits() && !future.isCompletedExceptionally() && !outcome().permitted();
        }

        public Decision outcome() {
            settle();
            assertThat(future).as("decided").isDone();
            return future.join();
        }

        public Throwable failure() {
            settle();
            try {
                future.join();
                throw new AssertionError("There was no failure");
            } catch (CompletionException e) {
                return e.getCause();
            }
        }

        /** Returns how long the request waited since the start of the test. */
        public Duration leftAfter() {
            assertThat(isPermitted()).as("permitted").isTrue();
            return Duration.ofNanos(doneAt - VirtualTime.START);
        }

        public void cancel() {
            future.cancel(false);
            settle();
        }
    }

    public Request enter(Charge... charges) {
        return enter(() -> true, charges);
    }

    public Request enter(BooleanSupplier present, Charge... charges) {
        Request request = new Request(limiters.acquireAsync(List.of(charges), present));
        settle();
        return request;
    }

    /** Submits a request and asserts that it waits. */
    public Request waiter(Charge... charges) {
        Request request = enter(charges);
        assertThat(request.waits()).as("waits").isTrue();
        return request;
    }

    /** Submits a request, and returns its decision, which must be complete. */
    public Decision decide(Charge... charges) {
        return enter(charges).outcome();
    }

    public void advance(Duration duration) {
        to(time.now() + duration.toNanos());
    }

    /** Advances to a time, running timers on the way. */
    public void to(long nanos) {
        while (timer.next() <= nanos) {
            time.set(Math.max(timer.next(), time.now()));
            timer.run();
            settle();
        }
        time.set(nanos);
        settle();
    }

    /** Completes futures. */
    public void settle() {
        for (Runnable completion = completions.poll(); completion != null; completion = completions.poll()) {
            completion.run();
        }
    }
}
