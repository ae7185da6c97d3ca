package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls of a storage that never throw: what it throws is the failure of the answer. */
final class Calls {

    private Calls() {}

    static CompletableFuture<Decision> decide(RateLimiterStorage storage, List<Charge> charges) {
        return failing(() -> storage.decideAsync(charges));
    }

    static CompletableFuture<Decision> peek(RateLimiterStorage storage, List<Charge> charges) {
        return failing(() -> storage.peekAsync(charges));
    }

    private static CompletableFuture<Decision> failing(Supplier<CompletionStage<Decision>> call) {
        try {
            return call.get().toCompletableFuture();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Calls an action with either the decision or the failure, in this thread if that is there. {@code failed}: receives
     * what the action throws.
     */
    static void then(
            CompletableFuture<Decision> answer,
            BiConsumer<@Nullable Decision, @Nullable Throwable> action,
            Consumer<Throwable> failed) {
        var unused = answer.whenComplete((decision, failure) -> guard(
                () -> action.accept(
                        decision,
                        decision == null && failure == null
                                ? new IllegalStateException("The storage answered nothing")
                                : failure),
                failed));
    }

    /** Runs a step; what it throws, such as that of a clock, is the failure of a request and of no thread. */
    static void guard(Runnable step, Consumer<Throwable> failed) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        }
    }

    /** Returns permits that no request wants any more; a failure has no one to tell. */
    static void giveBack(@Nullable Decision decision) {
        if (decision != null) {
            try {
                decision.giveBack();
            } catch (RuntimeException | Error e) {
                System.getLogger(Calls.class.getName())
                        .log(System.Logger.Level.WARNING, "Permits of a request that has gone were not returned", e);
            }
        }
    }
}
