package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that wait on a remote storage: each decision is a call, and releases of other instances are not reported.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteWaitingTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration POLL = Duration.ofMillis(25);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final RemoteStorageView storage = new RemoteStorageView(shared);
    private final VirtualWaiting room = new VirtualWaiting(storage, time);
    private final RateLimiters limiters = room.limiters;
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule other = Rule.of("other", Limit.concurrency(1));
    private final Rule quota = Rule.of("quota", Limit.tokenBucket(10, HOUR));

    private static Charge waits(Rule rule) {
        return rule.charge("key").maxWait(HOUR);
    }

    /** Returns a decision that holds the permits for another instance. */
    private Decision heldElsewhere(Rule rule) {
        return shared.decide(rule, "key", 1);
    }

    private boolean isFree(Rule rule) {
        return shared.peek(rule, "key").permitted();
    }

    @Test
    void eachDecisionIsOneCall() {
        assertThat(limiters.acquire(paced, "key", HOUR).permitted()).isTrue();
        assertThat(storage.newCalls()).isEqualTo(1);
        Request request = room.waiter(waits(paced));
        assertThat(storage.newCalls()).isEqualTo(1);
        assertThat(room.enter(paced.charge("key").maxWait(SECOND.minusNanos(1))).isRejected())
                .isTrue();
        assertThat(storage.newCalls()).isEqualTo(1);
        room.advance(SECOND);
        assertThat(request.leftAfter()).isEqualTo(SECOND);
        assertThat(storage.newCalls()).isZero();
        assertThat(storage.peeks).hasValue(0);
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void aThreadWaitsForTheReplyAndThenForItsTurn() {
        RateLimiters own = new RateLimiters(storage);
        own.tryAcquire(paced, "key");
        storage.withhold();
        Caller caller = new Caller(() -> own.acquire(paced, "key", HOUR));
        until(() -> storage.calls.get() == 1);

        storage.reply();

        until(() -> own.waiting() == 1);
        time.advance(SECOND);
        assertThat(caller.decision().permitted()).isTrue();
    }

    static Stream<Rule> bothWays() {
        return Stream.of(
                Rule.of("pool", Limit.concurrency(1)),
                Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced()));
    }

    @ParameterizedTest
    @MethodSource("bothWays")
    void permitsGrantedToARequestThatLeftAreReturned(Rule rule) {
        storage.withhold();
        Request request = room.waiter(waits(rule));
        assertThat(isFree(rule)).isFalse();
        request.cancel();
        storage.reply();
        assertThat(isFree(rule)).isTrue();
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void anInterruptEndsTheWaitForAReply() {
        RateLimiters own = new RateLimiters(storage);
        storage.withhold();
        Caller caller = new Caller(() -> own.acquire(pool, "key", HOUR));
        until(() -> storage.calls.get() == 1);

        caller.interrupt();

        assertThat(caller.decision().permitted()).isFalse();
        assertThat(caller.decision().rule()).isEqualTo(pool);
        assertThat(caller.wasInterrupted()).isTrue();
        storage.reply();
        assertThat(isFree(pool)).isTrue();
    }

    @Test
    void requestThatIsUndecidedWhenTheRoomClosesDoesNotWait() {
        heldElsewhere(pool);
        room.enter(waits(paced));
        storage.withhold();
        Request inTurn = room.waiter(waits(paced));
        Request forRelease = room.waiter(waits(pool));
        Request atOnce = room.waiter(waits(other));

        limiters.stopWaiting();
        for (int i = 0; i < 4; i++) {
            storage.reply();
        }

        assertThat(inTurn.isRejected() && forRelease.isRejected()).isTrue();
        assertThat(inTurn.outcome().retryAfter()).contains(SECOND);
        assertThat(atOnce.isPermitted()).isTrue();
        assertThat(limiters.waiting()).isZero();
        assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void failuresArePropagatedToTheCaller() {
        RuntimeException failure = new IllegalStateException("no network");
        storage.failWith(failure);
        for (Rule rule : List.of(pool, paced)) {
            assertThatThrownBy(() -> limiters.acquire(rule, "key", HOUR)).isSameAs(failure);
            assertThatThrownBy(() -> limiters.acquireAsync(rule, "key", HOUR).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCause(failure);
        }
        storage.replyIn(task -> CompletableFuture.runAsync(task).join());
        assertThatThrownBy(() -> limiters.acquire(pool, "key", HOUR)).isSameAs(failure);
        assertThatThrownBy(() -> limiters.acquire(List.of())).isInstanceOf(RuntimeException.class);
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void aFailureAffectsOnlyItsOwnRequest() {
        heldElsewhere(pool);
        Request first = room.waiter(waits(pool));
        Request second = room.waiter(waits(pool));
        storage.throwOnce(new NoClassDefFoundError("on purpose"));
        room.advance(POLL);
        assertThat(first.failure()).hasMessage("on purpose");
        assertThat(second.waits()).isTrue();

        storage.failWith(new IllegalStateException("no network"));
        room.advance(POLL);
        assertThat(second.failure()).hasMessage("no network");
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void releaseOfThisInstanceServesTheHeadAtOnce() {
        Request holder = room.enter(waits(pool));
        Request first = room.waiter(waits(pool));
        Request second = room.waiter(waits(pool));

        holder.outcome().close();

        assertThat(first.isPermitted()).isTrue();
        assertThat(second.waits()).isTrue();
        first.outcome().close();
        assertThat(second.isPermitted()).isTrue();
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void releaseOfAnotherInstanceIsDetectedByPolling() {
        Decision held = heldElsewhere(pool);
        Request first = room.waiter(waits(pool));
        storage.newCalls();
        Request second = room.waiter(waits(pool));
        assertThat(storage.newCalls()).as("only the head retries").isZero();
        room.advance(POLL);
        assertThat(storage.newCalls()).isEqualTo(1);
        held.close();
        assertThat(first.waits()).isTrue();

        room.advance(POLL);

        assertThat(first.isPermitted()).isTrue();
        assertThat(second.waits()).isTrue();
        first.outcome().close();
        assertThat(second.isPermitted()).isTrue();
        assertThat(room.timer.size()).isZero();
    }

    /** A window reports when to retry, but not that another instance refunds permits. */
    @Test
    void windowIsRetriedAtTheRetryTime() {
        Rule log = Rule.of("log", Limit.slidingWindowLog(1, SECOND));
        shared.decide(log, "key", 1);
        Request request = room.waiter(waits(log));
        storage.newCalls();
        room.advance(SECOND.minusNanos(1));
        assertThat(storage.newCalls()).isZero();
        room.advance(Duration.ofNanos(1));
        assertThat(request.leftAfter()).isEqualTo(SECOND);
        assertThat(storage.newCalls()).isEqualTo(1);
    }

    @Test
    void refundOfAnotherInstanceIsDetectedByPolling() {
        Rule login = Rule.of("login", Limit.tokenBucket(1, HOUR));
        Decision elsewhere = shared.decide(login, "key", 1);
        Request request = room.waiter(waits(login).refundable(true));
        elsewhere.giveBack();
        room.advance(POLL);
        assertThat(request.isPermitted()).isTrue();
    }

    @Test
    void manyQueuesArePolledLessOften() {
        Decision[] held = new Decision[400];
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < held.length; i++) {
            held[i] = shared.decide(pool, "key" + i, 1);
            requests.add(room.waiter(pool.charge("key" + i).maxWait(HOUR)));
        }
        room.advance(POLL.multipliedBy(4));
        storage.newCalls();
        room.advance(SECOND);
        assertThat(storage.newCalls()).isBetween(3_900, 4_100);
    }

    @Test
    void aQueueHasOneCallInProgress() {
        Request holder = room.enter(waits(other));
        Request elsewhere = room.waiter(waits(other));
        storage.newCalls();
        storage.withhold();
        for (int i = 0; i < 5; i++) {
            room.advance(POLL);
            holder.outcome().close();
        }
        assertThat(storage.newCalls()).isEqualTo(1);
        // called before the release
        storage.reply();
        assertThat(elsewhere.waits() ? storage.newCalls() : 1).as("once more").isEqualTo(1);
        if (elsewhere.waits()) {
            storage.reply();
        }
        assertThat(elsewhere.isPermitted()).isTrue();
    }

    @Test
    void permitsGrantedToAHeadThatLeftGoToTheNext() {
        Decision held = heldElsewhere(pool);
        Request first = room.waiter(waits(pool));
        Request second = room.waiter(waits(pool));
        held.close();
        storage.withhold();
        room.advance(POLL);

        first.cancel();
        for (int i = 0; i < 3 && second.waits(); i++) {
            storage.reply();
        }

        assertThat(second.isPermitted()).isTrue();
    }

    @Test
    void theLastPlaceInTheQueueIsTakenOnce() {
        room.enter(waits(paced));
        storage.withhold();
        Request first = room.waiter(waits(paced).maxWaiting(1));
        Request second = room.waiter(waits(paced).maxWaiting(1));
        for (int i = 0; i < 3; i++) {
            storage.reply();
        }
        assertThat(first.waits()).isTrue();
        assertThat(second.isRejected()).isTrue();
        assertThat(limiters.waiting()).isEqualTo(1);
        assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND.multipliedBy(2));
    }

    @Test
    void requestForAFullQueueIsRejectedByAPeek() {
        heldElsewhere(pool);
        room.waiter(waits(pool).maxWaiting(1));
        storage.newCalls();
        Decision rejected = room.decide(waits(pool).maxWaiting(1), quota.charge("key"));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.rule()).isEqualTo(pool);
        assertThat(rejected.limits()).extracting(LimitStatus::permitted).containsExactly(false, true);
        assertThat(rejected.limits()).extracting(LimitStatus::remaining).containsExactly(0L, 10L);
        assertThat(storage.newCalls()).isZero();
    }

    /** Other instances have taken the permits before it. */
    @Test
    void requestThatCannotBeServedInTimeIsRejectedByTheNextPoll() {
        heldElsewhere(pool);
        Duration patience = SECOND.multipliedBy(10);
        Request request = room.waiter(
                pool.charge("key").maxWait(patience), paced.charge("key").maxWait(patience));
        room.advance(SECOND.multipliedBy(6));
        shared.decide(List.of(paced.charge("key", 7).maxWait(HOUR)));
        assertThat(request.waits()).isTrue();

        room.advance(POLL);

        assertThat(request.isRejected()).isTrue();
    }
}
