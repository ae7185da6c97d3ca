package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.VirtualTime;
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

    /** Is waited for until that late, by a clock that a test moves; then for as long again, in which it comes or not. */
    private static CompletableFuture<String> readLate(VirtualTime time, Duration late, boolean answered) {
        return new CompletableFuture<>() {
            private boolean waitedBefore;

            @Override
            public String get(long timeout, TimeUnit unit) throws TimeoutException {
                if (waitedBefore && answered) {
                    complete("granted");
                    return join();
                }
                waitedBefore = true;
                time.advance(Duration.of(timeout, unit.toChronoUnit()).plus(late));
                throw new TimeoutException();
            }
        };
    }

    @Test
    void aThreadThatIsLateWaitsForItsAnswerOnceMore() {
        VirtualTime time = new VirtualTime();
        Budget budget = new Budget(Duration.ofMillis(50), time);
        assertThat(timeouts.join(readLate(time, Duration.ofMillis(20), true), budget))
                .isEqualTo("granted");
    }

    @Test
    void anAnswerThatAThreadIsTooLateForSaysNothingAboutTheStorage() {
        VirtualTime time = new VirtualTime();
        Budget budget = new Budget(Duration.ofMillis(50), time);
        assertThatThrownBy(() -> timeouts.join(readLate(time, Duration.ofMillis(20), false), budget))
                .isInstanceOfSatisfying(
                        StorageUnavailableException.class,
                        late -> assertThat(late.reason()).isEqualTo(StorageUnavailableException.Reason.STOOD_STILL));
    }

    @Test
    void aThreadThatIsInTimeDoesNotWaitAgain() {
        VirtualTime time = new VirtualTime();
        Budget budget = new Budget(Duration.ofMillis(50), time);
        assertThatThrownBy(() -> timeouts.join(readLate(time, Duration.ofMillis(5), true), budget))
                .isInstanceOfSatisfying(
                        StorageUnavailableException.class,
                        late -> assertThat(late.reason()).isEqualTo(StorageUnavailableException.Reason.TIMED_OUT));
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
