package dev.limiter.spring.template;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spring.RateLimitTemplate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Permits everything, for applications with {@code limiter.enabled: false}. Thread-safe. */
public final class UnlimitedTemplate implements RateLimitTemplate {

    @Override
    public Decision tryAcquire(String rule, String key) {
        return new FixedDecision(
                Rule.of(rule, Limit.concurrency(Limit.MAX_PERMITS)), 0, FixedDecision.Reason.UNLIMITED);
    }

    @Override
    public Decision tryAcquire(String rule, String key, long permits) {
        return tryAcquire(rule, key);
    }

    @Override
    public Decision acquire(String rule, String key) {
        return tryAcquire(rule, key);
    }

    @Override
    public CompletableFuture<Decision> acquireAsync(String rule, String key) {
        return CompletableFuture.completedFuture(tryAcquire(rule, key));
    }

    @Override
    public <T extends @Nullable Object> T execute(String rule, String key, Supplier<T> work) {
        return work.get();
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String rule, String key, Supplier<? extends CompletionStage<T>> work) {
        return work.get().toCompletableFuture();
    }

    @Override
    public Decision peek(String rule, String key) {
        return tryAcquire(rule, key);
    }

    @Override
    public void reset(String rule, String key) {}

    @Override
    public void reload() {}
}
