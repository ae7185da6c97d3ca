package dev.limiter.spring.decide;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.WaitListener;
import dev.limiter.spi.PermitArithmetic;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The storage calls of a decision, in one of two modes. Blocking: returned futures are complete, and failures are
 * thrown. Asynchronous: no call blocks, and cancelling the decision cancels the pending call. Thread-safe.
 */
final class StorageCalls {

    private final RateLimiters limiters;
    private final boolean remote;
    private final @Nullable CompletableFuture<?> result;
    private final Runnable waits;

    private StorageCalls(RateLimiters limiters, boolean remote, @Nullable CompletableFuture<?> result, Runnable waits) {
        this.limiters = limiters;
        this.remote = remote;
        this.result = result;
        this.waits = waits;
    }

    static StorageCalls blocking(RateLimiters limiters, boolean remote) {
        return new StorageCalls(limiters, remote, null, () -> {});
    }

    /** {@code waits}: called on any thread if the request must wait. */
    static StorageCalls async(RateLimiters limiters, CompletableFuture<?> result, Runnable waits) {
        return new StorageCalls(limiters, true, result, waits);
    }

    /** Takes all charges or none. */
    CompletableFuture<Decision> tryAcquire(List<Charge> charges) {
        return result == null
                ? completedFuture(tryAcquireNow(charges))
                : cancelledWith(result, limiters.tryAcquireAsync(charges.toArray(Charge[]::new)));
    }

    /** Takes all charges or none, waiting up to the max-wait of the charges. */
    CompletableFuture<Decision> acquire(List<Charge> charges) {
        return result == null
                ? completedFuture(limiters.acquire(charges))
                : cancelledWith(result, limiters.acquireAsync(charges, asked -> new Beginning(waits)));
    }

    CompletableFuture<Decision> peek(Rule rule, String key) {
        return result == null
                ? completedFuture(limiters.peek(rule, key))
                : cancelledWith(result, limiters.peekAsync(rule, key));
    }

    /** Takes all charges or none like {@link #tryAcquire(List)}, without a future. */
    Decision tryAcquireNow(List<Charge> charges) {
        Charge first = charges.get(0);
        // In memory, plain permits of one key need no list of charges. A remote storage would create it again.
        return charges.size() == 1 && !remote && PermitArithmetic.isPlain(first)
                ? limiters.tryAcquire(first.rule(), first.key(), first.permits())
                : limiters.tryAcquire(charges.toArray(Charge[]::new));
    }

    private static CompletableFuture<Decision> cancelledWith(
            CompletableFuture<?> result, CompletableFuture<Decision> call) {
        var unused = result.whenComplete((verdict, failure) -> {
            if (failure != null) {
                call.cancel(true);
            }
        });
        return call;
    }

    /** Continues with the result of a call; synchronously if it is complete, which it always is in blocking mode. */
    static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> then(
            CompletableFuture<T> call, Function<? super T, CompletableFuture<R>> step) {
        return call.isDone() && !call.isCompletedExceptionally() ? step.apply(call.join()) : call.thenCompose(step);
    }

    private record Beginning(Runnable waits) implements WaitListener.Wait {

        @Override
        public void begins() {
            waits.run();
        }

        @Override
        public void ends(@Nullable Decision decision) {}
    }
}
