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
 * The calls that a decision makes to the storage, in one of two ways. Blocking: each future is complete when returned,
 * and failures are thrown. Asynchronous: no call blocks, and the one under way is cancelled with the result of the
 * decision. Thread-safe.
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

    /** {@code waits}: called if the request begins to wait for its turn, in any thread. */
    static StorageCalls async(RateLimiters limiters, CompletableFuture<?> result, Runnable waits) {
        return new StorageCalls(limiters, true, result, waits);
    }

    /** Takes all charges or none. */
    CompletableFuture<Decision> tryAcquire(List<Charge> charges) {
        return result == null
                ? completedFuture(tryAcquireNow(charges))
                : cancelledWith(result, limiters.tryAcquireAsync(charges.toArray(Charge[]::new)));
    }

    /** Takes all charges or none, after waiting for as long as the charges would. */
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

    /** {@link #tryAcquire(List)} in the calling thread, without a future. */
    Decision tryAcquireNow(List<Charge> charges) {
        Charge first = charges.get(0);
        // in memory plain permits of one key need no list of charges; a remote storage would make it again
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

    /** Goes on with a result: in this call if it is there, as always where calls block. */
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
