package dev.limiter;

import static dev.limiter.Caller.until;
import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queues and peeks behave the same on every storage. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingContractTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime(VirtualTime.START - VirtualTime.START % SECOND.toNanos());
    private final RateLimiters limiters = TestedStorage.limiters(time);

    /** Submits requests that wait, one after the other. */
    private List<CompletableFuture<Decision>> waiting(int count, Charge charge) {
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            futures.add(limiters.acquireAsync(List.of(charge), () -> true));
            int waiting = i + 1;
            until(() -> limiters.waiting() == waiting);
        }
        return futures;
    }

    private static long done(List<CompletableFuture<Decision>> futures) {
        return futures.stream().filter(CompletableFuture::isDone).count();
    }

    static Stream<Limit> windows() {
        return Stream.of(
                Limit.slidingWindowLog(10, SECOND),
                Limit.slidingWindowCounter(10, SECOND).buckets(10));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void requestsForAWindowArePermittedInOrder(Limit limit) {
        Rule rule = Rule.of("window", limit);
        for (int i = 0; i < 10; i++) {
            assertThat(limiters.tryAcquire(rule, "key").permitted()).isTrue();
            time.advance(SECOND.dividedBy(10));
        }
        time.advance(-STEP);
        List<CompletableFuture<Decision>> futures =
                waiting(5, rule.charge("key").maxWait(SECOND.multipliedBy(3)));
        for (int i = 0; i < 5; i++) {
            Duration free = limiters.peek(rule, "key").retryAfter().orElseThrow();
            time.advance(free.minusNanos(STEP));
            assertThat(limiters.peek(rule, "key").permitted()).isFalse();
            assertThat(done(futures)).isEqualTo(i);
            time.advance(STEP);
            int left = 4 - i;
            until(() -> limiters.waiting() == left);
            assertThat(futures.get(i).join().permitted()).isTrue();
            assertThat(limiters.tryAcquire(rule, "key").permitted()).isFalse();
        }
    }

    @Test
    void requestForAWindowThatCannotBeServedInTimeIsRejectedAtOnce() {
        Rule rule = Rule.of("log", Limit.slidingWindowLog(2, SECOND));
        limiters.tryAcquire(rule, "key", 2);
        List<CompletableFuture<Decision>> futures =
                waiting(2, rule.charge("key").maxWait(SECOND.plusMillis(100)));
        time.advance(SECOND.dividedBy(2));
        Duration behindOthers = SECOND.plus(SECOND.dividedBy(2));
        Decision late = limiters.acquireAsync(
                        List.of(rule.charge("key").maxWait(behindOthers.minusNanos(STEP))), () -> true)
                .join();
        assertThat(late.permitted()).isFalse();
        assertThat(late.retryAfter()).contains(behindOthers);
        time.advance(SECOND.dividedBy(2));
        assertThat(futures).allMatch(future -> future.join().permitted());
    }

    static Stream<Limit> refunding() {
        return Stream.of(
                Limit.tokenBucket(2, HOUR),
                Limit.leakyBucket(2, HOUR),
                Limit.fixedWindow(2, HOUR),
                Limit.fixedWindow(2, HOUR).alignFirst(),
                Limit.slidingWindowCounter(2, HOUR),
                Limit.slidingWindowLog(2, HOUR));
    }

    /** Even if no permit becomes free in time, because another request may be refunded. */
    @ParameterizedTest
    @MethodSource("refunding")
    void refundableRequestsWaitForEachOther(Limit limit) {
        Charge login = Rule.of("login", limit).charge("alice").maxWait(SECOND).refundable(true);
        List<Decision> taken = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            taken.add(limiters.acquire(List.of(login)));
        }
        assertThat(taken).allMatch(Decision::permitted);
        List<CompletableFuture<Decision>> futures = waiting(4, login);
        for (CompletableFuture<Decision> future : futures) {
            taken.remove(0).giveBack();
            Decision next = future.join();
            assertThat(next.permitted()).isTrue();
            taken.add(next);
        }
        assertThat(limiters.tryAcquire(login.maxWait(Duration.ZERO)).permitted())
                .isFalse();
    }

    @Test
    void peeksAtSeveralChargesAndTakesNothing() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, HOUR));
        Rule log = Rule.of("log", Limit.slidingWindowLog(3, HOUR));
        limiters.tryAcquire(bucket, "key", 4);
        limiters.tryAcquire(log, "key", 3);
        List<Charge> charges = List.of(bucket.charge("key", 5), log.charge("key", 2), log.charge("other", 4));

        Decision look = limiters.storage().peek(charges);

        assertThat(look.permitted()).isFalse();
        assertThat(look.parts()).extracting(Decision::permitted).containsExactly(true, false, false);
        assertThat(look.parts().get(1).retryAfter()).contains(HOUR);
        assertThat(look.parts().get(2).never()).isTrue();
        look.giveBack();
        assertThat(limiters.peek(bucket, "key").remaining()).isEqualTo(6);
        assertThat(limiters.storage()
                        .peek(List.of(bucket.charge("key", 6), log.charge("other", 3)))
                        .permitted())
                .isTrue();
        assertThat(limiters.storage()
                        .peek(List.of(bucket.charge("key", 3), bucket.charge("key", 4)))
                        .permitted())
                .as("in one call")
                .isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.storage().peek(List.of()));
    }
}
