package dev.limiter.spring;

import dev.limiter.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits code by the rules of the configuration, in any thread: in a service, a scheduled method, a message listener.
 *
 * <pre>{@code
 * Decision decision = limits.tryAcquire("checkout", customerId);
 * Receipt receipt = limits.execute("checkout", customerId, () -> pay(order));
 * }</pre>
 *
 * <p><b>Rules</b> are found by name, in any case and with any dashes. Mode, rollout, tiers, limits per key, bans,
 * candidates, listeners and metrics apply as for requests; the resource is {@code code}. There is no request: paths,
 * methods and lists of addresses have no effect, and an expression over {@code #request} or {@code #response} counts as
 * not set. {@code #key} is the key.
 *
 * <p><b>Keys</b> are used as passed. If the {@code key} of the rule has one part, code shares a bucket with the requests
 * for which this part (its first alternative) has that value. Otherwise each key has a bucket that only code uses. The
 * empty key is that of requests without a value; if the rule has no key, it is the bucket of all clients. On Redis, keys
 * are in clear where those of requests are.
 *
 * <p>All methods that take the name of a rule throw a {@link dev.limiter.spring.failure.LimiterConfigurationException}
 * if there is no such rule. With {@code limiter.enabled: false} everything is permitted. Thread-safe.
 */
public interface RateLimitTemplate {

    /**
     * Takes the permits that a request costs, if they are available now; never waits. If the rule limits concurrency,
     * close the decision when the work is done.
     */
    Decision tryAcquire(String rule, String key);

    /** {@link #tryAcquire(String, String)} with a number of permits, 0 or more, in place of the cost of the rule. */
    Decision tryAcquire(String rule, String key, long permits);

    /**
     * Takes the permits that a request costs, and waits in the calling thread for as long as the rule's {@code max-wait}
     * allows. If the rule limits concurrency, close the decision when the work is done.
     *
     * @throws dev.limiter.RateLimitExceededException if it is rejected, or the thread is interrupted
     */
    Decision acquire(String rule, String key);

    /**
     * {@link #acquire} without blocking the caller. The future fails with a {@link
     * dev.limiter.RateLimitExceededException} if the request is rejected; cancelling it gives up the place in the queue,
     * or refunds the permits.
     */
    CompletableFuture<Decision> acquireAsync(String rule, String key);

    /**
     * Runs {@code work} once {@link #acquire} permits it. Permits of concurrency limits are held until it is done: if it
     * returns a {@code CompletionStage}, {@code Mono} or {@code Flux}, until that completes. {@code charge-if} is settled
     * by the result or the exception.
     *
     * @throws dev.limiter.RateLimitExceededException if it is rejected; the work does not run
     */
    <T extends @Nullable Object> T execute(String rule, String key, Supplier<T> work);

    /** {@link #execute(String, String, Supplier)} for work without a result. */
    default void execute(String rule, String key, Runnable work) {
        execute(rule, key, () -> {
            work.run();
            return null;
        });
    }

    /**
     * {@link #execute(String, String, Supplier)} without blocking the caller. The work starts in the calling thread, or
     * in a thread of {@link dev.limiter.RateLimiters} after a wait. Cancelling the future gives up the place in the
     * queue, or cancels the work where its stage is a {@code Future}.
     *
     * @return fails with a {@link dev.limiter.RateLimitExceededException} if it is rejected
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String rule, String key, Supplier<? extends CompletionStage<T>> work);

    /** The decision that {@link #tryAcquire(String, String)} would make now; takes nothing and is not counted. */
    Decision peek(String rule, String key);

    /**
     * Forgets what the key has used, and ends its ban. Permits that it holds are not counted from then on.
     *
     * @throws dev.limiter.failover.StorageUnavailableException if Redis does not reply; the use that it knows stays
     */
    void reset(String rule, String key);

    /**
     * Calls all {@link dev.limiter.spring.rule.RuleSource} beans again, and puts their rules in force, as well as those of
     * the configuration. Used permits stay used.
     *
     * @throws IllegalStateException if the rules cannot work; all rules stay as they are
     */
    void reload();
}
