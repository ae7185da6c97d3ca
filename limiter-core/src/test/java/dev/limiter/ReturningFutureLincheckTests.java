package dev.limiter;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spi.ReturningFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In every interleaving, a result is either used or given back, once. */
@Tag("lincheck")
class ReturningFutureLincheckTests {

    /** One caller, which may leave, and results that are about to arrive. */
    public abstract static class Caller {

        final AtomicInteger givenBack = new AtomicInteger();
        private final AtomicInteger handed = new AtomicInteger();

        abstract CompletableFuture<Integer> future();

        abstract void hand(int result);

        @Operation
        public void answer() {
            hand(handed.incrementAndGet());
        }

        @Operation
        public boolean leave() {
            return future().cancel(true);
        }

        @Validate
        public void eachResultIsTakenOrGivenBack() {
            int taken = future().isDone() && !future().isCompletedExceptionally() ? 1 : 0;
            if (handed.get() != taken + givenBack.get()) {
                throw new IllegalStateException(handed + " handed, " + taken + " taken, " + givenBack + " given back");
            }
        }
    }

    public static class Waiting extends Caller {

        private final ReturningFuture<Integer> future = new ReturningFuture<>(result -> givenBack.incrementAndGet());

        @Override
        CompletableFuture<Integer> future() {
            return future;
        }

        @Override
        void hand(int result) {
            future.hand(result);
        }
    }

    /** A broken implementation that checks first, then completes. */
    public static class Looking extends Caller {

        private final CompletableFuture<Integer> future = new CompletableFuture<>();

        @Override
        CompletableFuture<Integer> future() {
            return future;
        }

        @Override
        void hand(int result) {
            if (future.isDone()) {
                givenBack.incrementAndGet();
            } else {
                future.complete(result);
            }
        }
    }

    @Test
    void eachResultIsTakenOrGivenBack() {
        check(Waiting.class);
    }

    @Test
    void detectsAResultThatIsLost() {
        assertThatThrownBy(() -> check(Looking.class)).isInstanceOf(LincheckAssertionError.class);
    }

    private static void check(Class<? extends Caller> caller) {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(500)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(caller);
    }
}
