package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class TimeoutsTests {

    private static final Duration TIMEOUT = Duration.ofMillis(1);

    private final Timeouts timeouts = new Timeouts(StorageExceptionTranslator.PLAIN);

    /** Settled by {@code settled} when the time is up, before anybody can cancel it. */
    private static CompletableFuture<String> atTheLastMoment(CompletableFuture<String> settled) {
        return new CompletableFuture<>() {
            @Override
            public String get(long timeout, TimeUnit unit) throws TimeoutException, InterruptedException {
                var unused = settled.whenComplete((answer, failure) -> {
                    if (failure == null) {
                        complete(answer);
                    } else {
                        completeExceptionally(failure);
                    }
                });
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                throw new TimeoutException();
            }
        };
    }

    @Test
    void whatComesWhenTheTimeIsUpIsNotLost() {
        CompletableFuture<String> answer = atTheLastMoment(CompletableFuture.completedFuture("granted"));
        assertThat(timeouts.join(answer, TIMEOUT)).isEqualTo("granted");
    }

    @Test
    void whatComesWhenInterruptedIsNotLost() {
        CompletableFuture<String> answer = atTheLastMoment(CompletableFuture.completedFuture("granted"));
        Thread.currentThread().interrupt();
        assertThat(timeouts.join(answer, TIMEOUT)).isEqualTo("granted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatFailsWhenTheTimeIsUpFails() {
        StorageUnavailableException failure = new StorageUnavailableException("gone", null);
        CompletableFuture<String> answer = atTheLastMoment(CompletableFuture.failedFuture(failure));
        assertThatThrownBy(() -> timeouts.join(answer, TIMEOUT)).isSameAs(failure);
    }

    @Test
    void whatDoesNotComeIsCancelled() {
        CompletableFuture<String> answer = atTheLastMoment(new CompletableFuture<>());
        assertThatThrownBy(() -> timeouts.join(answer, TIMEOUT))
                .isInstanceOfSatisfying(
                        StorageUnavailableException.class,
                        late -> assertThat(late.isTimeout()).isTrue());
        assertThat(answer).isCancelled();
    }

    @Test
    void anInterruptedThreadWaitsForItsAnswerAndStaysInterrupted() {
        CompletableFuture<String> answer = new CompletableFuture<>() {
            @Override
            public String get(long timeout, TimeUnit unit)
                    throws TimeoutException, InterruptedException, ExecutionException {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                complete("granted");
                return super.get(timeout, unit);
            }
        };
        Thread.currentThread().interrupt();
        try {
            assertThat(timeouts.join(answer, Duration.ofSeconds(10))).isEqualTo("granted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
