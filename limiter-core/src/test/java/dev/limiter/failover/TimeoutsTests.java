package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies count until the budget ends, and a late thread or reader of this JVM blames no storage. */
class TimeoutsTests {

    private static final Duration TIMEOUT = Duration.ofMillis(1);

    private final Timeouts timeouts = new Timeouts(StorageUnavailableException::of);

    /** Returns a future that completes with {@code settled} at the timeout, just before it can be cancelled. */
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
    void replyAtTheTimeoutIsNotLost() {
        CompletableFuture<String> answer = atTheLastMoment(CompletableFuture.completedFuture("granted"));
        assertThat(timeouts.join(answer, TIMEOUT)).isEqualTo("granted");
    }

    @Test
    void failureAtTheTimeoutIsPropagated() {
        StorageUnavailableException failure = new StorageUnavailableException("gone", null);
        CompletableFuture<String> answer = atTheLastMoment(CompletableFuture.failedFuture(failure));
        assertThatThrownBy(() -> timeouts.join(answer, TIMEOUT)).isSameAs(failure);
    }

    /**
     * Returns a future whose waiting thread wakes up late, by a test clock. In the second wait the reply arrives or
     * not.
     */
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
    void aLateThreadWaitsForItsReplyOnceMore() {
        VirtualTime time = new VirtualTime();
        Budget budget = Budget.blocking(Duration.ofMillis(50), time);
        assertThat(timeouts.join(readLate(time, Duration.ofMillis(20), true), budget))
                .isEqualTo("granted");
    }

    /** A thread that is in time does not wait again. */
    @ParameterizedTest
    @CsvSource({"20, false, STOOD_STILL", "5, true, TIMED_OUT"})
    void onlyALateThreadDoesNotBlameTheStorage(long late, boolean answered, StorageUnavailableException.Reason reason) {
        VirtualTime time = new VirtualTime();
        Budget budget = Budget.blocking(Duration.ofMillis(50), time);
        assertThatThrownBy(() -> timeouts.join(readLate(time, Duration.ofMillis(late), answered), budget))
                .satisfies(failure -> assertThat(reason(failure)).isEqualTo(reason));
    }

    /** Returns a reply that arrives when the reader has run, {@code late} after the timeout. */
    private CompletableFuture<String> readBy(VirtualTime time, Duration late, boolean answered, boolean blocking) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Timeouts waiting = new Timeouts(StorageUnavailableException::of, () -> {
            time.advance(late);
            if (answered) {
                answer.complete("granted");
            }
            return CompletableFuture.completedFuture(true);
        });
        Budget budget =
                blocking ? Budget.blocking(Duration.ofMillis(50), time) : Budget.of(Duration.ofMillis(50), time);
        time.advance(Duration.ofMillis(50));
        return blocking
                ? CompletableFuture.completedFuture(waiting.join(answer, budget))
                : waiting.within(answer, budget);
    }

    private static StorageUnavailableException.Reason reason(Throwable failure) {
        return ((StorageUnavailableException) StorageUnavailableException.causeOf(failure)).reason();
    }

    @ParameterizedTest
    @CsvSource({"0, true", "20, true", "0, false", "20, false"})
    void aReplyReadAtTheTimeoutCounts(long late, boolean blocking) {
        assertThat(readBy(new VirtualTime(), Duration.ofMillis(late), true, blocking)
                        .join())
                .isEqualTo("granted");
    }

    @ParameterizedTest
    @CsvSource({"0, TIMED_OUT, true", "20, STOOD_STILL, true", "0, TIMED_OUT, false", "20, STOOD_STILL, false"})
    void aLateReaderDoesNotBlameTheStorage(long late, StorageUnavailableException.Reason reason, boolean blocking) {
        assertThatThrownBy(() -> readBy(new VirtualTime(), Duration.ofMillis(late), false, blocking)
                        .join())
                .satisfies(failure -> assertThat(reason(failure)).isEqualTo(reason));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReaderThatDoesNotRunHasNothingToRead(boolean blocking) {
        VirtualTime time = new VirtualTime();
        Timeouts waiting = new Timeouts(StorageUnavailableException::of, () -> {
            time.advance(Duration.ofMillis(500));
            return CompletableFuture.completedFuture(false);
        });
        CompletableFuture<String> answer = new CompletableFuture<>();
        Budget budget =
                blocking ? Budget.blocking(Duration.ofMillis(50), time) : Budget.of(Duration.ofMillis(50), time);
        time.advance(Duration.ofMillis(50));
        assertThatThrownBy(() -> {
                    String unused = blocking
                            ? waiting.join(answer, budget)
                            : waiting.within(answer, budget).join();
                })
                .satisfies(
                        failure -> assertThat(reason(failure)).isEqualTo(StorageUnavailableException.Reason.TIMED_OUT));
    }

    /** The reader runs at the timeout and, if that was late, once more after another budget. */
    @ParameterizedTest
    @CsvSource({"1, 0, true", "1, 20, true", "2, 0, false", "2, 20, true", "3, 20, false"})
    void patientCallsGetTheReplyOfALateReader(int answeredBy, long late, boolean answered) {
        VirtualTime time = new VirtualTime();
        CompletableFuture<String> answer = new CompletableFuture<>();
        AtomicInteger read = new AtomicInteger();
        Timeouts waiting = new Timeouts(StorageUnavailableException::of, () -> {
            time.advance(Duration.ofMillis(late));
            if (read.incrementAndGet() == answeredBy) {
                answer.complete("granted");
            }
            return CompletableFuture.completedFuture(true);
        });
        CompletableFuture<String> awaited = waiting.patiently(answer, Budget.of(Duration.ofMillis(50), time));
        time.advance(Duration.ofMillis(50));
        if (answered) {
            assertThat(awaited.join()).isEqualTo("granted");
        } else {
            assertThatThrownBy(awaited::join)
                    .satisfies(failure ->
                            assertThat(reason(failure)).isEqualTo(StorageUnavailableException.Reason.TIMED_OUT));
            assertThat(answer).isCompletedExceptionally();
        }
    }

    @Test
    void missingReplyIsCancelled() {
        CompletableFuture<String> answer = atTheLastMoment(new CompletableFuture<>());
        assertThatThrownBy(() -> timeouts.join(answer, TIMEOUT))
                .isInstanceOfSatisfying(
                        StorageUnavailableException.class,
                        late -> assertThat(late.reason())
                                .isIn(
                                        StorageUnavailableException.Reason.TIMED_OUT,
                                        StorageUnavailableException.Reason.STOOD_STILL));
        assertThat(answer).isCancelled();
    }

    @Test
    void anInterruptedThreadWaitsForItsReplyAndStaysInterrupted() {
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

    @Test
    void aBudgetEndsAfterItsTimeout() {
        VirtualTime time = new VirtualTime();
        Budget budget = Budget.of(Duration.ofMillis(50), time);
        assertThat(budget.left()).isEqualTo(Duration.ofMillis(50).toNanos());
        time.advance(Duration.ofMillis(20));
        assertThat(budget.left()).isEqualTo(Duration.ofMillis(30).toNanos());
        time.advance(Duration.ofMillis(40));
        assertThat(budget.left()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"8, 0", "9, 4", "20, 5"})
    void aBudgetIsLateByMoreThanThreeMilliseconds(long passed, long late) {
        VirtualTime time = new VirtualTime();
        Budget small = Budget.of(Duration.ofMillis(5), time);
        time.advance(Duration.ofMillis(passed));
        assertThat(small.late()).isEqualTo(Duration.ofMillis(late).toNanos());
    }

    /** Threads normally wake up late by up to a tenth of the budget. */
    @ParameterizedTest
    @CsvSource({"0, 0", "40, 0", "50, 0", "55, 0", "56, 6", "80, 30", "100, 50", "1000, 50"})
    void aBudgetIsLateByMoreThanUsualUpToItsLength(long passed, long late) {
        VirtualTime time = new VirtualTime();
        Budget budget = Budget.of(Duration.ofMillis(50), time);
        time.advance(Duration.ofMillis(passed));
        assertThat(budget.late()).isEqualTo(Duration.ofMillis(late).toNanos());
    }
}
