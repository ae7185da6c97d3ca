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

/** Limiters whose requests wait in virtual time: timers ring at their moments while a test moves on. For one thread. */
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

    /** A request that has come. */
    public final class Request {

        public final CompletableFuture<Decision> future;

        /** When it was done, as of the virtual clock. */
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

        /** How long it waited since the test began. */
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

    /** One that is expected to wait. */
    public Request waiter(Charge... charges) {
        Request request = enter(charges);
        assertThat(request.waits()).as("waits").isTrue();
        return request;
    }

    /** The answer to one that is expected not to wait. */
    public Decision answer(Charge... charges) {
        return enter(charges).outcome();
    }

    public void advance(Duration duration) {
        to(time.now() + duration.toNanos());
    }

    /** Lets timers ring on the way. */
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
