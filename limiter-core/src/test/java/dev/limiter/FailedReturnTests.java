package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A storage that cannot take permits back fails the waiter that they are of, and nothing else. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedReturnTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    /** The same for memory and for a storage elsewhere. */
    abstract static class Contract {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        final Set<Rule> kept = ConcurrentHashMap.newKeySet();
        final UnreturnableStorage unreturnable = new UnreturnableStorage(shared, kept::contains);
        final ManualTimer timer = new ManualTimer();
        final Rule paced =
                Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
        final Rule window = Rule.of("window", Limit.fixedWindow(1, SECOND));
        final Rule pool = Rule.of("pool", Limit.concurrency(1));
        final Rule seats = Rule.of("seats", Limit.concurrency(1));

        RateLimiterStorage storage = unreturnable;
        WaitingRoom waitingRoom = new WaitingRoom(storage, timer, AsyncExecutor.toCommonPool());

        final RateLimiters limiters() {
            return new RateLimiters(storage, timer, AsyncExecutor.toCommonPool());
        }

        final Charge waits(Rule rule) {
            return rule.charge("key").within(HOUR);
        }

        final Waiter entered(Charge... charges) {
            Waiter waiter = new Waiter(List.of(charges), time.now(), () -> true, () -> {});
            Decision answer = waitingRoom.enter(waiter);
            if (answer != null) {
                waiter.answer(answer);
            }
            return waiter;
        }

        /** A waiter for the next turn of each rule. */
        final Waiter inTurn(Rule... rules) {
            List.of(rules).forEach(this::take);
            Waiter waiter = entered(List.of(rules).stream().map(this::waits).toArray(Charge[]::new));
            assertThat(waiter.isDone()).isFalse();
            return waiter;
        }

        final void take(Rule rule) {
            assertThat(shared.decide(rule, "key", 1).permitted()).isTrue();
        }

        final boolean isFree(Rule rule) {
            return shared.peek(rule, "key").permitted();
        }

        final void assertFailed(Waiter waiter, Rule rule) {
            assertThat(waiter.isDone()).isTrue();
            assertThatThrownBy(waiter::outcome).hasMessage("cannot take back " + rule.name());
        }

        @Test
        void oneThatGivesUpItsTurnFailsAndIsNotCounted() {
            for (Rule rule : List.of(paced, window)) {
                kept.clear();
                Waiter waiter = inTurn(rule);
                assertThat(waitingRoom.admission.mayWait(waits(rule).waitingAtMost(1)))
                        .isFalse();
                kept.add(rule);

                waitingRoom.leave(waiter);

                assertFailed(waiter, rule);
                assertThat(waitingRoom.size()).isZero();
                assertThat(waitingRoom.admission.mayWait(waits(rule).waitingAtMost(1)))
                        .isTrue();
            }
        }

        @Test
        void turnsOfOtherRulesAreReturned() {
            Waiter waiter = inTurn(paced, window);
            kept.add(paced);

            waitingRoom.leave(waiter);

            assertFailed(waiter, paced);
            assertThat(waitingRoom.size()).isZero();
            time.advance(SECOND);
            assertThat(isFree(window)).isTrue();
            assertThat(isFree(paced)).isFalse();
        }

        @Test
        void turnThatIsKeptFailsItsWaiter() {
            take(paced);
            Waiter waiter = entered(waits(pool), waits(paced));
            take(pool);
            time.advance(SECOND);
            waitingRoom.tend(waiter);
            assertThat(waiter.isDone()).isFalse();
            kept.add(paced);

            waitingRoom.leave(waiter);

            assertFailed(waiter, paced);
            assertThat(waitingRoom.size()).isZero();
        }

        @Test
        void closingAnswersAll() {
            RateLimiters limiters = limiters();
            take(paced);
            take(pool);
            CompletableFuture<Decision> first = limiters.acquireAsync(paced, "key", HOUR);
            CompletableFuture<Decision> second = limiters.acquireAsync(paced, "key", HOUR);
            CompletableFuture<Decision> inLine = limiters.acquireAsync(pool, "key", HOUR);
            kept.add(paced);

            limiters.close();

            assertThatThrownBy(first::join).hasRootCauseMessage("cannot take back paced");
            assertThatThrownBy(second::join).hasRootCauseMessage("cannot take back paced");
            assertThat(inLine.join().permitted()).isFalse();
            assertThat(limiters.waiting()).isZero();
        }

        @Test
        void cancelledOneIsToldToListeners() {
            List<String> told = new CopyOnWriteArrayList<>();
            RateLimiters limiters = limiters();
            limiters.onWait(charges -> new WaitListener.Wait() {
                @Override
                public void begins() {
                    told.add("begins");
                }

                @Override
                public void ends(@Nullable Decision decision) {
                    told.add("ends");
                }
            });
            take(paced);
            CompletableFuture<Decision> future = limiters.acquireAsync(paced, "key", HOUR);
            kept.add(paced);

            future.cancel(false);

            assertThat(limiters.waiting()).isZero();
            assertThat(told).containsExactly("begins", "ends");
        }

        @Test
        void undeliveredAnswerFailsNothing() {
            Waiter waiter = entered(waits(pool));
            assertThat(waiter.outcome().permitted()).isTrue();
            kept.add(pool);

            assertThatCode(() -> waitingRoom.withdraw(waiter)).doesNotThrowAnyException();
        }

        /** The permits of pools are released until the turn has come. */
        @Test
        void requestWhosePoolCannotBeReleasedIsGivenBack() {
            take(paced);
            kept.add(pool);

            assertThatThrownBy(() -> limiters().acquire(List.of(waits(pool), waits(seats), waits(paced))))
                    .hasMessage("cannot take back pool");

            assertThat(isFree(seats)).isTrue();
            assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND);
            assertThat(waitingRoom.size()).isZero();
        }

        @Test
        void oneInLineWhosePoolCannotBeReleasedIsGivenBack() {
            Decision held = shared.decide(pool, "key", 1);
            take(paced);
            Waiter waiter = entered(waits(seats), waits(pool), waits(paced));
            Waiter next = entered(waits(pool));
            kept.add(seats);
            assertThat(waiter.isDone()).isFalse();

            held.close();
            timer.ring(ReleasePolling.EVERY_NANOS);

            assertFailed(waiter, seats);
            timer.ring(ReleasePolling.EVERY_NANOS);
            assertThat(next.outcome().permitted()).isTrue();
            assertThat(shared.peek(paced, "key").retryAfter()).contains(SECOND);
        }

        @Test
        void givingBackReturnsTheOtherParts() {
            Decision decision = storage.decide(List.of(window.charge("key"), pool.charge("key")));
            assertThat(isFree(pool)).isFalse();
            kept.add(window);

            assertThatThrownBy(decision::giveBack).hasMessage("cannot take back window");

            assertThat(isFree(pool)).isTrue();
        }

        @Test
        void closingReleasesTheOtherParts() {
            Decision decision = storage.decide(List.of(seats.charge("key"), pool.charge("key"), window.charge("key")));
            kept.addAll(List.of(seats, window));

            assertThatThrownBy(decision::close).isInstanceOf(IllegalStateException.class);

            assertThat(isFree(pool)).isTrue();
        }
    }

    @Nested
    class InMemory extends Contract {

        @Test
        void turnBeyondTheMostThatMayWaitFailsItsWaiter() {
            Charge[] charges = {waits(pool), waits(paced).waitingAtMost(1)};
            take(paced);
            Decision held = shared.decide(pool, "key", 1);
            List<Waiter> line = List.of(entered(charges), entered(charges));
            kept.add(paced);

            held.close();

            assertThat(line.get(0).isDone()).as("has a turn now").isFalse();
            assertFailed(line.get(1), paced);
            assertThat(waitingRoom.size()).isEqualTo(1);
            assertThat(isFree(pool)).isTrue();
        }
    }

    @Nested
    class Elsewhere extends Contract {

        private final ElsewhereStorage elsewhere = new ElsewhereStorage(unreturnable);

        @BeforeEach
        void useIt() {
            storage = elsewhere;
            waitingRoom = new WaitingRoom(elsewhere, timer, AsyncExecutor.toCommonPool(), elsewhere.lock);
        }

        @AfterEach
        void neverCallsWithTheLockHeld() {
            assertThat(elsewhere.calledUnderLock).isEmpty();
        }

        @Test
        void turnBeyondTheMostThatMayWaitFailsItsWaiter() {
            take(paced);
            elsewhere.withhold();
            Waiter first = entered(waits(paced).waitingAtMost(1));
            Waiter second = entered(waits(paced).waitingAtMost(1));
            kept.add(paced);

            elsewhere.answer();
            elsewhere.answer();

            assertThat(first.isDone()).isFalse();
            assertFailed(second, paced);
            assertThat(elsewhere.asked()).as("not once more").isEqualTo(2);
            assertThat(waitingRoom.size()).isEqualTo(1);
        }

        @Test
        void turnBeyondTheMostThatMayWaitFailsOneInLine() {
            Charge[] charges = {waits(pool), waits(paced).waitingAtMost(1)};
            take(paced);
            Decision held = shared.decide(pool, "key", 1);
            List<Waiter> line = List.of(entered(charges), entered(charges), entered(charges));
            Waiter last = entered(waits(pool));
            kept.add(paced);
            held.close();

            timer.ring(ReleasePolling.EVERY_NANOS);

            assertThat(line.get(0).isDone()).as("has a turn now").isFalse();
            assertFailed(line.get(1), paced);
            assertFailed(line.get(2), paced);
            assertThat(last.outcome().permitted()).isTrue();
            assertThat(waitingRoom.size()).isEqualTo(1);
        }

        @Test
        void lateGrantOfOneThatLeftTheLineKeepsNoneBehindFromTheirs() {
            Rule two = Rule.of("two", Limit.concurrency(2));
            Decision held = shared.decide(two, "key", 2);
            Waiter first = entered(waits(two));
            Waiter second = entered(waits(two));
            held.close();
            elsewhere.withhold();
            timer.ring(ReleasePolling.EVERY_NANOS);
            waitingRoom.leave(first);
            kept.add(two);
            elsewhere.answerBy(Runnable::run);

            elsewhere.answer();

            assertThat(first.outcome().permitted()).isFalse();
            assertThat(second.isDone()).isTrue();
            assertThat(second.outcome().permitted()).isTrue();
        }

        @Test
        void lateGrantOfOneThatLeftFailsNothing() {
            elsewhere.withhold();
            Waiter waiter = entered(waits(pool));
            waitingRoom.leave(waiter);
            kept.add(pool);

            elsewhere.answer();

            assertThat(waiter.outcome().permitted()).isFalse();
        }
    }

    /** The storage is closed whatever else fails. */
    @Test
    void storageThatForgetsNoListenerIsClosed() {
        UnreturnableStorage storage = new UnreturnableStorage(new ThrowingAtRemoval(), rule -> false);
        RateLimiters limiters = new RateLimiters(storage);

        assertThatThrownBy(limiters::close).hasMessage("cannot forget");

        assertThat(storage.closed).isTrue();
    }

    private static final class ThrowingAtRemoval extends DelegatingStorage {

        ThrowingAtRemoval() {
            super(new InMemoryRateLimiterStorage(new RateLimiterFactory(), new VirtualTime(), 1000));
        }

        @Override
        public void removeReleaseListener(ReleaseListener listener) {
            throw new IllegalStateException("cannot forget");
        }
    }
}
