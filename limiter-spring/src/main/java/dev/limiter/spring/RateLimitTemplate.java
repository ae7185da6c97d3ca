package dev.limiter.spring;

import dev.limiter.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Applies configured rules to code, in any thread: in a service, a scheduled method, a message listener.
 *
 * <pre>{@code
 * Decision decision = limits.tryAcquire("checkout", customerId);
 * Receipt receipt = limits.execute("checkout", customerId, () -> pay(order));
 * }</pre>
 *
 * <p><b>Rules</b> are found by name in any spelling. Mode, rollout, tiers, limits per key, bans, candidates, listeners
 * and metrics apply as for requests; the resource is {@code code}. There is no request, so paths, methods and address
 * lists have no effect, and expressions over {@code #request} or {@code #response} are ignored. {@code #key} is the
 * key.
 *
 * <p><b>Keys</b> are used as passed. If the {@code key} of the rule has one part, code shares buckets with requests for
 * which the first alternative of this part has the same value. Otherwise only code uses these buckets. An empty key is
 * the bucket of requests without a value or, if the rule has no key, the bucket of all clients. In Redis, keys are
 * hashed like the keys of requests.
 *
 * <p>All methods with a rule name throw {@link dev.limiter.spring.failure.LimiterConfigurationException} if the rule is
 * unknown. With {@code limiter.enabled: false}, everything is permitted. Thread-safe.
 */
public interface RateLimitTemplate {

    /**
     * Takes the cost of a request if it is available now; never waits. If the rule limits concurrency, close the
     * decision when the work is done.
     */
    Decision tryAcquire(String rule, String key);

    /**
     * Takes a number of permits, 0 or more, instead of the cost of the rule, like {@link #tryAcquire(String, String)}.
     */
    Decision tryAcquire(String rule, String key, long permits);

    /**
     * Takes the cost of a request; waits in the calling thread up to the rule's {@code max-wait}. If the rule limits
     * concurrency, close the decision when the work is done.
     *
     * @throws dev.limiter.RateLimitExceededException if it is rejected, or the thread is interrupted
     */
    Decision acquire(String rule, String key);

    /**
     * Takes the cost of a request like {@link #acquire}, without blocking the caller. The future fails with
     * {@link dev.limiter.RateLimitExceededException} if the request is rejected. Cancelling it leaves the queue, or
     * refunds the permits.
     */
    CompletableFuture<Decision> acquireAsync(String rule, String key);

    /**
     * Runs {@code work} once {@link #acquire} permits it. Concurrency permits are held until the work is done; if it
     * returns a {@code CompletionStage}, {@code Mono} or {@code Flux}, until that completes. {@code charge-if} is
     * evaluated with the result or the exception.
     *
     * @throws dev.limiter.RateLimitExceededException if it is rejected; the work does not run
     */
    <T extends @Nullable Object> T execute(String rule, String key, Supplier<T> work);

    /** Runs work without a result like {@link #execute(String, String, Supplier)}. */
    default void execute(String rule, String key, Runnable work) {
        execute(rule, key, () -> {
            work.run();
            return null;
        });
    }

    /**
     * Runs work like {@link #execute(String, String, Supplier)}, without blocking the caller. The work starts in the
     * calling thread or, after a wait, in a thread of {@link dev.limiter.RateLimiters}. Cancelling the future leaves
     * the queue, or cancels the work if its stage is a {@code Future}.
     *
     * @return fails with a {@link dev.limiter.RateLimitExceededException} if it is rejected
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String rule, String key, Supplier<? extends CompletionStage<T>> work);

    /**
     * Returns the decision that {@link #tryAcquire(String, String)} would make now. Takes no permits and is not
     * counted.
     */
    Decision peek(String rule, String key);

    /**
     * Resets the use of a key, and ends its ban. Concurrency permits that it holds no longer count.
     *
     * @throws dev.limiter.failover.StorageUnavailableException if Redis does not reply; its state is then unchanged
     */
    void reset(String rule, String key);

    /**
     * Calls all {@link dev.limiter.spring.rule.RuleSource} beans again, and applies their rules and the configured
     * ones. Used permits stay used.
     *
     * @throws IllegalStateException if the rules are invalid; all rules stay unchanged
     */
    void reload();
}
