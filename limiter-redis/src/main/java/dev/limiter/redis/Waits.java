package dev.limiter.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers, for a limited time. */
final class Waits {

    private Waits() {}

    /** Cancels what is not there in time, so that a command that was not sent yet never is. An interrupt stays. */
    static <T> T join(CompletionStage<T> answer, Duration timeout) {
        Future<T> future = answer.toCompletableFuture();
        try {
            return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            future.cancel(true);
            throw RedisUnavailableException.timedOut(timeout);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new RedisUnavailableException("Interrupted while Redis was asked", null);
        } catch (ExecutionException e) {
            throw Failures.of(e);
        }
    }
}
