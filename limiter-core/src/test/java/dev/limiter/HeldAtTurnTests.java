package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The permits of concurrency limits are taken when the turns of the other rules have come, and not before. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldAtTurnTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TURN = Duration.ofSeconds(10);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SIZE = 4;

    /** The same for memory and for a storage elsewhere. */
    abstract static class Contract {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        final Rule pool = Rule.of("pool", Limit.concurrency(SIZE));
        final Rule mail = Rule.of("mail", Limit.leakyBucket(6, MINUTE).paced().burst(10));

        /** Mails of a user that have a turn of their own, one each ten seconds. */
        final List<Charge> both =
                List.of(pool.charge().within(MINUTE), mail.charge("user").within(MINUTE));

        RateLimiterStorage storage = shared;
        AlarmedWaiters waiters = new AlarmedWaiters(shared, time);

        final Waiter enter(Charge... charges) {
            return waiters.enter(List.of(charges));
        }

        /** A waiter for its turn in ten seconds. */
        final Waiter waiter() {
            return waiter(() -> true);
        }

        final Waiter waiter(BooleanSupplier present) {
            shared.decide(mail, "user", 1);
            Waiter waiter = waiters.enter(both, present);
            assertThat(waiter.isDone()).isFalse();
            return waiter;
        }

        final void advance(Duration duration) {
            time.advance(duration);
            waiters.timer.run();
        }

        final long free() {
            return shared.peek(pool, Charge.SHARED).remaining();
        }

        final Decision hold(long permits) {
            Decision decision = storage.decide(pool, Charge.SHARED, permits);
            assertThat(decision.permitted()).isTrue();
            return decision;
        }

        final void assertLetIn(Waiter waiter) {
            assertThat(waiter.isDone()).isTrue();
            assertThat(waiter.outcome().permitted()).isTrue();
        }

        final void assertTurnedAway(Waiter waiter) {
            assertThat(waiter.isDone()).isTrue();
            assertThat(waiter.outcome().permitted()).isFalse();
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        /** The turn in ten seconds is to be had, though it was taken for a waiter. */
        final void assertTurnReturned() {
            assertThat(shared.peek(mail, "user").permitted()).isTrue();
        }

        @Test
        void waitOfOneClientKeepsNothingFromOthers() {
            List<Waiter> users =
                    IntStream.range(0, 5).mapToObj(i -> waiters.enter(both)).toList();
            users.get(0).outcome().close();
            assertThat(waiters.waitingRoom.size()).isEqualTo(4);
            assertThat(free()).isEqualTo(SIZE);
            for (int turn = 1; turn < users.size(); turn++) {
                advance(TURN);
                assertLetIn(users.get(turn));
                assertThat(free()).isEqualTo(SIZE - turn);
            }
            users.forEach(user -> user.outcome().close());
            assertThat(free()).isEqualTo(SIZE);
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        @Test
        void answerListsAllChargesInTheirOrder() {
            Rule quota = Rule.of("quota", Limit.fixedWindow(9, Duration.ofHours(1)));
            Rule seats = Rule.of("seats", Limit.concurrency(3));
            Charge[] charges = {
                quota.charge("user"), seats.charge("user", 2), both.get(1), pool.charge(), seats.charge("user")
            };
            enter(charges).outcome().close();
            Waiter waiter = enter(charges);
            assertThat(waiter.isDone()).isFalse();
            hold(2);

            advance(TURN);

            Decision answer = waiter.outcome();
            assertThat(answer.parts()).extracting(Decision::rule).containsExactly(quota, seats, mail, pool);
            assertThat(answer.limits()).extracting(LimitStatus::remaining).containsExactly(7L, 0L, 0L, 1L);
            assertThat(answer.delay()).isEqualTo(TURN);
            answer.giveBack();
            answer.close();
            assertThat(shared.peek(quota, "user").remaining()).isEqualTo(8);
            assertThat(shared.peek(seats, "user").remaining()).isEqualTo(3);
            assertThat(free()).isEqualTo(SIZE - 2);
            assertTurnReturned();
        }

        @Test
        void oneWhoseTurnHasComeWaitsForAReleaseAndKeepsTheTurn() {
            Waiter waiter = waiter();
            Decision held = hold(SIZE);
            advance(TURN);
            assertThat(waiter.isDone()).isFalse();
            assertThat(waiters.waitingRoom.size()).isEqualTo(1);
            Waiter later = enter(pool.charge().within(MINUTE));
            assertThat(shared.peek(mail, "user").retryAfter())
                    .as("the turn is kept")
                    .contains(TURN);

            advance(SECOND);
            held.close();

            assertLetIn(waiter);
            assertLetIn(later);
            assertThat(free()).isEqualTo(SIZE - 2);
            assertThat(shared.peek(mail, "user").retryAfter()).contains(TURN.minus(SECOND));
        }

        @Test
        void firstComeFirstServed() {
            Rule one = Rule.of("pool", Limit.concurrency(1));
            Decision held = storage.decide(one, Charge.SHARED, 1);
            Waiter inLine =
                    enter(one.charge().within(MINUTE), mail.charge("user").within(MINUTE));
            shared.decide(mail, "user", 1);
            held.close();
            assertThat(inLine.isDone()).as("has a turn now").isFalse();
            Waiter holder = enter(one.charge().within(MINUTE));
            Waiter behind = enter(one.charge().within(MINUTE));
            advance(TURN);
            Waiter last = enter(one.charge().within(MINUTE));

            List<Waiter> served = new ArrayList<>();
            for (Waiter next = holder; next != null; next = next(served, List.of(inLine, behind, last))) {
                assertLetIn(next);
                served.add(next);
                next.outcome().close();
            }

            assertThat(served).containsExactly(holder, inLine, behind, last);
        }

        private @Nullable Waiter next(List<Waiter> served, List<Waiter> all) {
            return all.stream()
                    .filter(waiter -> waiter.isDone() && !served.contains(waiter))
                    .findFirst()
                    .orElse(null);
        }

        @Test
        void waitsForAReleaseForTheRestOfItsTime() {
            Charge[] charges = {
                pool.charge().within(TURN.plus(SECOND)), mail.charge("user").within(MINUTE)
            };
            enter(charges).outcome().close();
            Waiter waiter = enter(charges);
            hold(SIZE);
            advance(TURN);
            advance(SECOND.minusNanos(1));
            assertThat(waiter.isDone()).isFalse();

            advance(Duration.ofNanos(1));

            assertTurnedAway(waiter);
            assertThat(waiter.outcome().rule()).isEqualTo(pool);
            assertThat(waiter.outcome().limits())
                    .extracting(LimitStatus::permitted)
                    .containsExactly(false, true);
            assertTurnReturned();
            waiter.outcome().giveBack();
            assertThat(free()).isZero();
        }

        @Test
        void oneWithoutTimeIsRefusedWhenItsTurnComes() {
            Charge impatient = pool.charge().within(SECOND);
            enter(both.get(1)).outcome().close();
            Waiter waiter = enter(impatient, both.get(1));
            Waiter never = enter(pool.charge(), both.get(1));
            hold(SIZE);
            advance(TURN);
            assertThat(waiter.outcome().permitted()).isFalse();
            advance(TURN);
            assertTurnedAway(never);
            assertThat(never.outcome().rule()).isEqualTo(pool);
            assertTurnReturned();
        }

        @Test
        void fullLineRefusesOneWhoseTurnHasCome() {
            Waiter waiter = waiters.enter(List.of(pool.charge().within(MINUTE).waitingAtMost(1), both.get(1)));
            waiter.outcome().close();
            waiter = waiters.enter(List.of(pool.charge().within(MINUTE).waitingAtMost(1), both.get(1)));
            hold(SIZE);
            enter(pool.charge().within(MINUTE));
            advance(TURN);
            assertThat(waiter.outcome().permitted()).isFalse();
            assertTurnReturned();
        }

        @Test
        void giverUpInLineReturnsTheTurn() {
            Waiter waiter = waiter();
            Decision held = hold(SIZE);
            advance(TURN);

            waiters.waitingRoom.leave(waiter);

            assertTurnedAway(waiter);
            assertTurnReturned();
            held.close();
            assertThat(free()).isEqualTo(SIZE);
        }

        @Test
        void giverUpWithATurnToComeReturnsIt() {
            Waiter waiter = waiter();
            waiters.waitingRoom.leave(waiter);
            assertTurnedAway(waiter);
            assertThat(free()).isEqualTo(SIZE);
            assertThat(shared.peek(mail, "user").retryAfter()).contains(TURN);
        }

        @Test
        void absentInLineReturnsTheTurn() {
            AtomicBoolean present = new AtomicBoolean(true);
            Waiter waiter = waiter(present::get);
            Decision held = hold(SIZE);
            advance(TURN);
            present.set(false);

            held.close();

            assertTurnedAway(waiter);
            assertTurnReturned();
            assertThat(free()).isEqualTo(SIZE);
        }

        @Test
        void closingReturnsTheTurnOfOneInLine() {
            Waiter inLine = waiter();
            hold(SIZE);
            advance(TURN);

            waiters.waitingRoom.stop();

            assertTurnedAway(inLine);
            assertTurnReturned();
        }

        @Test
        void closedRoomLetsNobodyWaitInLine() {
            Waiter waiter = waiter();
            hold(SIZE);
            waiters.waitingRoom.admission.closed = true;
            advance(TURN);
            assertTurnedAway(waiter);
            assertTurnReturned();
        }

        @Test
        void undeliveredAnswerIsReturned() {
            Waiter waiter = waiter();
            advance(TURN);
            assertLetIn(waiter);
            waiters.waitingRoom.withdraw(waiter);
            assertThat(free()).isEqualTo(SIZE);
            assertTurnReturned();
        }

        @Test
        void raisedLimitLetsInOneWhoseTurnHasCome() {
            Waiter waiter = waiter();
            hold(SIZE);
            advance(TURN);
            Rule raised = Rule.of("pool", Limit.concurrency(SIZE + 1));
            Waiter later = enter(raised.charge().within(MINUTE));
            assertLetIn(waiter);
            assertThat(later.isDone()).isFalse();
            waiter.outcome().close();
            assertLetIn(later);
        }

        @Test
        void raisedLimitOfOneWhoseTurnHasComeLetsInThoseBeforeIt() {
            Rule one = Rule.of("pool", Limit.concurrency(1));
            Rule raised = Rule.of("pool", Limit.concurrency(3));
            shared.decide(mail, "user", 1);
            shared.decide(mail, "other", 2);
            Waiter first = enter(one.charge().within(MINUTE), both.get(1));
            assertLetIn(enter(raised.charge().within(MINUTE)));
            Waiter second =
                    enter(raised.charge().within(MINUTE), mail.charge("other").within(MINUTE));
            advance(TURN);
            assertThat(first.isDone()).isFalse();

            advance(TURN);

            assertLetIn(first);
            assertLetIn(second);
        }

        @Test
        void oneWhoseTurnHasComeIsNotHeldUpByALowerLimitInFrontOfIt() {
            Rule raised = Rule.of("pool", Limit.concurrency(SIZE + 1));
            shared.decide(mail, "user", 1);
            Waiter early = enter(raised.charge().within(MINUTE), both.get(1));
            advance(SECOND);
            hold(SIZE);
            Waiter late = enter(pool.charge().within(MINUTE));
            advance(TURN);
            assertLetIn(late);
            assertThat(early.isDone()).isFalse();
            late.outcome().close();
            assertLetIn(early);
        }

        /** Its permits of the pool are released with the turn that it is given, so a whole line could follow. */
        @Test
        void fullLineForTurnsRefusesOneFromTheLineForAPool() {
            Charge[] charges = {
                pool.charge().within(MINUTE), mail.charge("user").within(MINUTE).waitingAtMost(1)
            };
            shared.decide(mail, "user", 1);
            Decision held = hold(SIZE);
            List<Waiter> line = List.of(enter(charges), enter(charges), enter(charges));
            assertThat(line).noneMatch(Waiter::isDone);

            held.close();
            advance(SECOND);

            assertThat(line.get(0).isDone()).as("has a turn now").isFalse();
            assertThat(line.subList(1, 3))
                    .allMatch(waiter -> waiter.isDone()
                            && !waiter.outcome().permitted()
                            && waiter.outcome().rule().equals(mail));
            assertThat(free()).isEqualTo(SIZE);
            advance(TURN);
            assertLetIn(line.get(0));
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        @Test
        void interruptInLineReturnsTheTurn() {
            RateLimiters limiters = new RateLimiters(storage);
            shared.decide(mail, "user", 1);
            Caller caller = new Caller(() -> limiters.acquire(both));
            until(() -> limiters.waiting() == 1);
            hold(SIZE);
            time.advance(TURN);
            until(() -> !limiters.mayWait(pool.charge().within(MINUTE).waitingAtMost(1)));

            caller.interrupt();

            assertThat(caller.answer().permitted()).isFalse();
            assertThat(limiters.waiting()).isZero();
            assertTurnReturned();
        }

        /** Its limits have one turn, and one answer. */
        @Test
        void ruleWithBothKindsTakesAllForItsTurn() {
            Rule mixed = Rule.of(
                    "mixed",
                    Limit.concurrency(2).named("inFlight"),
                    Limit.leakyBucket(6, MINUTE).paced().burst(10).named("rate"));
            enter(mixed.charge().within(MINUTE)).outcome().close();
            Waiter waiter = enter(mixed.charge().within(MINUTE), pool.charge().within(MINUTE));
            assertThat(shared.peek(mixed, Charge.SHARED).limits().get(0).remaining())
                    .isEqualTo(1);
            assertThat(free()).isEqualTo(SIZE);
            advance(TURN);
            assertLetIn(waiter);
            assertThat(free()).isEqualTo(SIZE - 1);
            waiter.outcome().close();
            assertThat(shared.peek(mixed, Charge.SHARED).limits().get(0).remaining())
                    .isEqualTo(2);
            assertThat(free()).isEqualTo(SIZE);
        }
    }

    @Nested
    class InMemory extends Contract {

        @Test
        void failureAtTheTurnReturnsIt() {
            AtomicBoolean fails = new AtomicBoolean();
            RateLimiterStorage failing = new FailingStorage(shared, fails::get);
            waiters = new AlarmedWaiters(failing, time);
            Waiter waiter = waiter();
            fails.set(true);
            advance(TURN);
            assertThatThrownBy(waiter::outcome).hasMessage("broken storage");
            assertTurnReturned();
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        @Test
        void requestThatCannotBeServedInTimeDoesNotJoinTheLine() {
            Rule quota = Rule.of("quota", Limit.fixedWindow(1, Duration.ofHours(1)));
            hold(SIZE);
            enter(pool.charge().within(MINUTE));
            shared.decide(quota, "user", 1);
            shared.decide(mail, "user", 1);

            Waiter late = enter(quota.charge("user"), pool.charge().within(MINUTE));
            Waiter later = enter(both.get(0), both.get(1));

            assertThat(late.isDone()).isTrue();
            assertThat(late.outcome().permitted()).isFalse();
            assertThat(later.isDone()).as("a turn of its bucket comes in time").isFalse();
            assertThat(waiters.waitingRoom.size()).isEqualTo(2);
        }
    }

    @Nested
    class Elsewhere extends Contract {

        private final ElsewhereStorage elsewhere = new ElsewhereStorage(shared);

        @BeforeEach
        void useIt() {
            storage = elsewhere;
            waiters = new AlarmedWaiters(elsewhere, time, elsewhere.lock);
        }

        @AfterEach
        void neverCallsWithTheLockHeld() {
            assertThat(elsewhere.calledUnderLock).isEmpty();
        }

        @Test
        void answerThatComesTooLateIsReturned() {
            Waiter waiter = waiter();
            elsewhere.withhold();
            advance(TURN);
            assertThat(waiter.isDone()).isFalse();
            assertThat(free()).isEqualTo(SIZE - 1);

            waiters.waitingRoom.leave(waiter);

            assertThat(waiter.outcome().permitted()).isFalse();
            assertThat(waiter.outcome().parts()).extracting(Decision::rule).containsExactly(pool, mail);
            assertTurnReturned();
            elsewhere.answer();
            assertThat(free()).isEqualTo(SIZE);
            assertThat(waiter.outcome().permitted()).isFalse();
        }

        @Test
        void refusalThatComesAfterClosingIsTheAnswer() {
            Waiter waiter = waiter();
            hold(SIZE);
            elsewhere.withhold();
            advance(TURN);
            waiters.waitingRoom.stop();
            elsewhere.answer();
            assertTurnedAway(waiter);
            assertTurnReturned();
        }

        @Test
        void failureAtTheTurnReturnsIt() {
            Waiter waiter = waiter();
            elsewhere.failWith(new IllegalStateException("no network"));
            advance(TURN);
            assertThatThrownBy(waiter::outcome).hasMessage("no network");
            assertTurnReturned();
        }

        @Test
        void failureInLineReturnsTheTurn() {
            Waiter waiter = waiter();
            hold(SIZE);
            advance(TURN);
            elsewhere.failWith(new IllegalStateException("no network"));
            advance(SECOND);
            assertThatThrownBy(waiter::outcome).hasMessage("no network");
            assertTurnReturned();
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        /** Released by another instance, which nobody tells. */
        @Test
        void polledInLine() {
            Waiter waiter = waiter();
            Decision held = shared.decide(pool, Charge.SHARED, SIZE);
            advance(TURN);
            held.close();
            assertThat(waiter.isDone()).isFalse();
            advance(SECOND);
            assertLetIn(waiter);
            assertThat(free()).isEqualTo(SIZE - 1);
        }
    }

    @Test
    void storageThatCannotTakeATurnBackFailsItsWaiterAlone() {
        Rule mail = Rule.of("mail", Limit.tokenBucket(1, MINUTE));
        AtomicBoolean woken = new AtomicBoolean();
        Charge held = Rule.of("pool", Limit.concurrency(SIZE)).charge();
        Waiter waiter = new Waiter(List.of(held, mail.charge()), VirtualTime.START, () -> true, () -> woken.set(true));
        waiter.reserve(new Unreturnable(mail), List.of());
        assertThat(waiter.comesForHeld(VirtualTime.START)).isTrue();
        waiter.refuse();

        waiter.wake();

        assertThat(woken).isTrue();
        assertThatThrownBy(waiter::outcome).hasMessage("broken");
    }

    /** A permission that cannot be given back. */
    private static final class Unreturnable extends Decision {

        private final Rule rule;

        Unreturnable(Rule rule) {
            this.rule = rule;
        }

        @Override
        public boolean permitted() {
            return true;
        }

        @Override
        public Rule rule() {
            return rule;
        }

        @Override
        public void giveBack() {
            throw new IllegalStateException("broken");
        }

        @Override
        protected long remaining(int limit) {
            return 0;
        }

        @Override
        protected long waitNanos(int limit) {
            return 0;
        }

        @Override
        protected long resetNanos(int limit) {
            return 0;
        }
    }
}
