package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters on a remote storage: each question is a call, and other instances release without telling. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteWaitingTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final ElsewhereStorage storage = new ElsewhereStorage(shared);
    private final ManualTimer timer = new ManualTimer();
    private final WaitingRoom waitingRoom = new WaitingRoom(storage, timer, AsyncExecutor.toCommonPool(), storage.lock);
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule other = Rule.of("other", Limit.concurrency(1));

    @AfterEach
    void neverCallsWithTheLockHeld() {
        assertThat(storage.calledUnderLock).isEmpty();
    }

    private static Charge waits(Rule rule) {
        return rule.charge("key").within(HOUR);
    }

    private Waiter entered(Charge... charges) {
        Waiter waiter = new Waiter(List.of(charges), time.now(), () -> true, () -> {});
        assertThat(waitingRoom.enter(waiter)).isSameAs(waiter.answer());
        return waiter;
    }

    private static boolean isPermitted(Waiter waiter) {
        return waiter.isDone() && waiter.outcome().permitted();
    }

    private static boolean isRefused(Waiter waiter) {
        return waiter.isDone() && !waiter.outcome().permitted();
    }

    /** The permits held by another instance. */
    private Decision heldElsewhere(Rule rule) {
        return shared.decide(rule, "key", 1);
    }

    private boolean isFree(Rule rule) {
        return shared.peek(rule, "key").permitted();
    }

    private void poll() {
        timer.ring(ReleasePolling.EVERY_NANOS);
    }

    @Test
    void servedAtOnceByOneQuestion() {
        RateLimiters limiters = new RateLimiters(storage, timer, AsyncExecutor.toCommonPool());
        assertThat(limiters.acquire(paced, "key", HOUR).permitted()).isTrue();
        assertThat(storage.asked()).isEqualTo(1);
        assertThat(limiters.acquireAsync(pool, "key", HOUR).join().permitted()).isTrue();
        assertThat(storage.asked()).isEqualTo(1);
    }

    @Test
    void aTurnIsGivenByOneQuestion() {
        entered(waits(paced));
        storage.asked();

        Waiter waiter = entered(waits(paced));

        assertThat(storage.asked()).isEqualTo(1);
        assertThat(waitingRoom.size()).isEqualTo(1);
        assertThat(waiter.due()).isEqualTo(time.now() + SECOND.toNanos());
        time.advance(SECOND);
        waitingRoom.tend(waiter);
        assertThat(isPermitted(waiter)).isTrue();
        assertThat(storage.asked()).isZero();
        assertThat(waitingRoom.size()).isZero();
    }

    @Test
    void refusedByOneQuestion() {
        entered(waits(paced));
        storage.asked();
        assertThat(isRefused(entered(paced.charge("key").within(SECOND.minusNanos(1)))))
                .isTrue();
        assertThat(storage.asked()).isEqualTo(1);
    }

    @Test
    void aThreadWaitsForTheAnswerAndThenForItsTurn() {
        RateLimiters limiters = new RateLimiters(storage);
        limiters.tryAcquire(paced, "key");
        storage.withhold();
        Caller caller = new Caller(() -> limiters.acquire(paced, "key", HOUR));
        until(() -> storage.questions.get() == 1);

        storage.answer();

        until(() -> limiters.waiting() == 1);
        time.advance(SECOND);
        assertThat(caller.answer().permitted()).isTrue();
    }

    @Test
    void whatIsGrantedToOneWhoLeftIsGivenBack() {
        storage.withhold();
        List<Waiter> waiters = List.of(entered(waits(pool)), entered(waits(paced)));
        assertThat(isFree(pool) || isFree(paced)).isFalse();

        waiters.forEach(waitingRoom::leave);

        assertThat(waiters).allMatch(RemoteWaitingTests::isRefused);
        storage.answer();
        storage.answer();
        assertThat(isFree(pool) && isFree(paced)).isTrue();
        assertThat(waiters).allMatch(RemoteWaitingTests::isRefused);
    }

    @Test
    void theRefusalOfARequestThatGivesUpIsByTheRuleThatItWaitedFor() {
        Rule site = Rule.of("site", Limit.tokenBucket(5, SECOND));
        heldElsewhere(paced);
        Waiter waiter = entered(waits(site), waits(paced));

        waitingRoom.leave(waiter);

        Decision refusal = waiter.outcome();
        assertThat(refusal.rule()).isEqualTo(paced);
        assertThat(refusal.retryAfter()).contains(SECOND);
        assertThat(refusal.parts().get(0).permitted()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitForAnAnswer() {
        RateLimiters limiters = new RateLimiters(storage);
        storage.withhold();
        Caller caller = new Caller(() -> limiters.acquire(pool, "key", HOUR));
        until(() -> storage.questions.get() == 1);

        caller.interrupt();

        assertThat(caller.answer().permitted()).isFalse();
        assertThat(caller.wasInterrupted()).isTrue();
        storage.answer();
        assertThat(isFree(pool)).isTrue();
    }

    @Test
    void aFutureThatIsCancelledWhileUndecided() {
        RateLimiters limiters = new RateLimiters(storage, timer, AsyncExecutor.toCommonPool());
        storage.withhold();
        CompletableFuture<Decision> future = limiters.acquireAsync(pool, "key", HOUR);

        future.cancel(false);

        storage.answer();
        assertThat(isFree(pool)).isTrue();
    }

    @Test
    void whoeverIsUndecidedWhenTheRoomClosesDoesNotWait() {
        heldElsewhere(pool);
        entered(waits(paced));
        storage.withhold();
        Waiter inTurn = entered(waits(paced));
        Waiter forRelease = entered(waits(pool));
        Waiter atOnce = entered(waits(other));

        waitingRoom.stop();
        for (int i = 0; i < 4; i++) {
            storage.answer();
        }

        assertThat(isRefused(inTurn) && isRefused(forRelease)).isTrue();
        assertThat(inTurn.outcome().retryAfter()).contains(SECOND);
        assertThat(isPermitted(atOnce)).isTrue();
        assertThat(waitingRoom.size()).isZero();
        assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void closingSendsAllAwayAndReturnsTheirTurns() {
        Decision held = heldElsewhere(pool);
        entered(waits(paced));
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(entered(waits(paced)));
            waiters.add(entered(waits(pool)));
        }
        held.close();
        storage.asked();

        waitingRoom.stop();

        assertThat(waiters).allMatch(RemoteWaitingTests::isRefused);
        assertThat(waiters.get(4).outcome().retryAfter()).contains(SECOND.multipliedBy(3));
        assertThat(waitingRoom.size()).isZero();
        assertThat(storage.asked()).isZero();
        assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND);
        assertThat(isRefused(entered(waits(paced)))).isTrue();
        poll();
        assertThat(timer.size()).isZero();
        waitingRoom.start();
        assertThat(entered(waits(paced)).isDone()).isFalse();
    }

    @Test
    void failuresReachWhoeverAsks() {
        RuntimeException failure = new IllegalStateException("no network");
        RateLimiters limiters = new RateLimiters(storage, timer, AsyncExecutor.toCommonPool());
        storage.failWith(failure);
        assertThatThrownBy(() -> limiters.acquire(pool, "key", HOUR)).isSameAs(failure);
        assertThatThrownBy(() -> limiters.acquireAsync(pool, "key", HOUR).join())
                .isInstanceOf(CompletionException.class)
                .hasCause(failure);
        storage.answerBy(task -> CompletableFuture.runAsync(task).join());
        assertThatThrownBy(() -> limiters.acquire(pool, "key", HOUR)).isSameAs(failure);
        assertThatThrownBy(() -> limiters.acquire(List.of())).isInstanceOf(RuntimeException.class);
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void aFailureMeetsTheFirstInLineOnly() {
        Decision held = heldElsewhere(pool);
        Waiter first = entered(waits(pool));
        Waiter second = entered(waits(pool));
        storage.failWith(new IllegalStateException("no network"));
        poll();
        assertThatThrownBy(first::outcome).hasMessage("no network");
        assertThat(second.isDone()).isFalse();

        storage.failWith(null);
        held.close();
        poll();

        assertThat(isPermitted(second)).isTrue();
    }

    @Test
    void errorOfACallMeetsItsWaiterOnly() {
        Decision held = heldElsewhere(pool);
        Waiter first = entered(waits(pool));
        Waiter second = entered(waits(pool));
        storage.throwOnce(new NoClassDefFoundError("on purpose"));
        poll();
        assertThatThrownBy(first::outcome).hasMessage("on purpose");
        assertThat(second.isDone()).isFalse();

        held.close();
        poll();

        assertThat(isPermitted(second)).isTrue();
    }

    @Test
    void whatIsReleasedHereIsAskedForAtOnce() {
        Waiter holder = entered(waits(pool));
        Waiter first = entered(waits(pool));
        Waiter second = entered(waits(pool));

        holder.outcome().close();

        assertThat(isPermitted(first)).isTrue();
        assertThat(second.isDone()).isFalse();
        first.outcome().close();
        assertThat(isPermitted(second)).isTrue();
        assertThat(waitingRoom.size()).isZero();
    }

    @Test
    void whatIsReleasedElsewhereIsFoundByAskingNowAndThen() {
        Decision held = heldElsewhere(pool);
        Waiter first = entered(waits(pool));
        Waiter second = entered(waits(pool));
        assertThat(storage.asked()).as("nobody asks who has others before him").isEqualTo(1);
        poll();
        assertThat(storage.asked()).isEqualTo(1);
        held.close();
        assertThat(first.isDone()).isFalse();

        poll();

        assertThat(isPermitted(first)).isTrue();
        assertThat(second.isDone()).isFalse();
        first.outcome().close();
        assertThat(isPermitted(second)).isTrue();
        storage.asked();
        poll();
        assertThat(storage.asked()).as("nobody waits").isZero();
        assertThat(timer.size()).isZero();
    }

    @Test
    void aLineHasOneQuestionUnderWay() {
        heldElsewhere(pool);
        Waiter holder = entered(waits(other));
        Waiter first = entered(waits(pool));
        entered(waits(pool));
        Waiter elsewhere = entered(waits(other));
        storage.asked();
        storage.withhold();

        poll();
        for (int i = 0; i < 5; i++) {
            poll();
            waitingRoom.tend(first);
            holder.outcome().close();
        }

        assertThat(storage.asked()).as("one for each line").isEqualTo(2);
        storage.answer();
        storage.answer();
        assertThat(storage.asked()).as("once more where something was released").isEqualTo(1);
        storage.answer();
        assertThat(isPermitted(elsewhere)).isTrue();
        assertThat(first.isDone()).isFalse();
    }

    @Test
    void whatIsGrantedToOneWhoLeftTheLineGoesToTheNext() {
        Decision held = heldElsewhere(pool);
        Waiter first = entered(waits(pool));
        Waiter second = entered(waits(pool));
        held.close();
        storage.withhold();
        poll();

        waitingRoom.leave(first);
        storage.answer();
        storage.answer();

        assertThat(isRefused(first)).isTrue();
        assertThat(isPermitted(second)).isTrue();
    }

    @Test
    void thoseBehindAreAskedForWhenTheFirstGivesUp() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        heldElsewhere(two);
        Waiter both = entered(two.charge("key", 2).within(SECOND));
        Waiter one = entered(waits(two));

        time.advance(SECOND);
        waitingRoom.tend(both);

        assertThat(isRefused(both)).isTrue();
        assertThat(isPermitted(one)).isTrue();
    }

    @Test
    void whoIsGoneIsNotLetIn() {
        Decision held = heldElsewhere(pool);
        AtomicBoolean present = new AtomicBoolean(true);
        Waiter gone = new Waiter(List.of(waits(pool)), time.now(), present::get, () -> {});
        waitingRoom.enter(gone);
        Waiter next = entered(waits(pool));
        held.close();
        present.set(false);

        poll();

        assertThat(isRefused(gone)).isTrue();
        assertThat(isPermitted(next)).isTrue();
    }

    @Test
    void theLastPlaceIsGivenOnce() {
        entered(waits(paced));
        storage.withhold();
        Waiter first = entered(waits(paced).waitingAtMost(1));
        Waiter second = entered(waits(paced).waitingAtMost(1));
        for (int i = 0; i < 3; i++) {
            storage.answer();
        }
        assertThat(first.isDone()).isFalse();
        assertThat(isRefused(second)).isTrue();
        assertThat(waitingRoom.size()).isEqualTo(1);
        assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND.multipliedBy(2));
    }

    @Test
    void whoFindsALineFullIsRefusedWithoutAQuestion() {
        heldElsewhere(pool);
        entered(waits(pool).waitingAtMost(1));
        storage.asked();
        Waiter waiter = entered(waits(pool).waitingAtMost(1), waits(paced));
        assertThat(isRefused(waiter)).isTrue();
        assertThat(waiter.outcome().rule()).isEqualTo(pool);
        assertThat(waiter.outcome().limits()).extracting(LimitStatus::permitted).containsExactly(false, true);
        assertThat(storage.asked()).isZero();
    }

    @Test
    void waitsForOneReleaseAfterTheOther() {
        Decision heldThere = heldElsewhere(other);
        Decision held = heldElsewhere(pool);
        Waiter both = entered(waits(pool), waits(other));
        held.close();
        poll();
        assertThat(both.isDone()).isFalse();
        assertThat(waitingRoom.size()).isEqualTo(1);

        heldThere.close();
        poll();

        assertThat(isPermitted(both)).isTrue();
        assertThat(isFree(pool) || isFree(other)).isFalse();
    }

    @Test
    void afterAReleaseTheTurnIsWaitedFor() {
        Rule both = Rule.of(
                "both",
                Limit.concurrency(1).named("inFlight"),
                Limit.leakyBucket(1, SECOND).burst(9).paced().named("rate"));
        Waiter holder = entered(waits(both));
        Waiter waiter = entered(waits(both));
        holder.outcome().close();
        assertThat(waiter.due()).isEqualTo(time.now() + SECOND.toNanos());
        time.advance(SECOND);
        waitingRoom.tend(waiter);
        assertThat(isPermitted(waiter)).isTrue();
    }

    /** Other instances have taken the turns before it. */
    @Test
    void whoseTurnCannotComeInTimeIsRefusedByTheNextPoll() {
        heldElsewhere(pool);
        Duration patience = SECOND.multipliedBy(10);
        Waiter waiter =
                entered(pool.charge("key").within(patience), paced.charge("key").within(patience));
        time.advance(SECOND.multipliedBy(6));
        shared.decide(List.of(paced.charge("key", 7).within(HOUR)));
        assertThat(waiter.isDone()).isFalse();

        poll();

        assertThat(isRefused(waiter)).isTrue();
        assertThat(waiter.outcome().parts().get(1).retryAfter()).contains(SECOND.multipliedBy(3));
    }

    /** No turn is given where charges are decided apart. */
    @Test
    void thePlaceInLineIsKeptUntilTheTurnElsewhere() {
        storage.decideApart();
        Decision held = heldElsewhere(pool);
        Waiter waiter = entered(waits(pool), waits(paced));
        held.close();
        shared.decide(paced, "key", 1);
        storage.asked();

        poll();

        assertThat(storage.asked()).as("the permit it gives back is no release").isEqualTo(1);
        assertThat(waiter.isDone()).isFalse();
        assertThat(isFree(pool)).isTrue();
        time.advance(SECOND);
        storage.released(pool, "key");
        assertThat(storage.asked()).as("a turn is all that it waits for").isZero();
        poll();
        assertThat(isPermitted(waiter)).isTrue();
        assertThat(isFree(pool)).isFalse();
        assertThat(timer.size()).isZero();
    }

    @Test
    void thePlaceInLineIsKeptForATurnInTimeOnly() {
        storage.decideApart();
        heldElsewhere(pool);
        Duration patience = SECOND.multipliedBy(10);
        Waiter patientForTheTurn = entered(pool.charge("key").within(patience), waits(paced));
        Waiter patientForTheRelease = entered(waits(pool), paced.charge("key").within(patience));
        shared.decide(List.of(paced.charge("key", 7).within(HOUR)));
        poll();
        assertThat(patientForTheTurn.isDone()).isFalse();
        time.advance(SECOND);
        shared.decide(List.of(paced.charge("key", 4).within(HOUR)));

        poll();

        assertThat(isRefused(patientForTheTurn)).isTrue();
        assertThat(isRefused(patientForTheRelease)).isTrue();
        assertThat(waitingRoom.size()).isZero();
    }

    @Test
    void whoAsksForMoreThanCanEverBeHadDoesNotWaitForARelease() {
        heldElsewhere(pool);
        assertThat(isRefused(entered(waits(pool), other.charge("key", 2).within(HOUR))))
                .isTrue();
    }

    @Test
    void manyAnswersThatAreThereAtOnce() {
        int many = 20_000;
        Rule large = Rule.of("large", Limit.concurrency(many));
        Decision all = storage.decide(large, "key", many);
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            waiters.add(entered(waits(large)));
        }
        all.close();
        assertThat(waiters).allMatch(RemoteWaitingTests::isPermitted);
    }
}
