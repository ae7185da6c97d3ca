package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests of several rules where others wait already: which of them join a line, and the rule that refuses them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingInLineTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    /** The same for memory and for a storage elsewhere. */
    abstract static class Contract {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        final Rule pool = Rule.of("pool", Limit.concurrency(1));
        final Rule other = Rule.of("other", Limit.concurrency(1));
        final Rule mail = Rule.of("mail", Limit.tokenBucket(1, SECOND));
        final Rule api = Rule.of("api", Limit.tokenBucket(1, SECOND));
        final Rule uploads = Rule.of(
                "uploads",
                Limit.tokenBucket(10, HOUR).named("bytes"),
                Limit.fixedWindow(100, HOUR).named("requests"));
        final Rule mixed = Rule.of(
                "mixed",
                Limit.slidingWindowLog(10, HOUR).named("hourly"),
                Limit.concurrency(1).named("heavy"),
                Limit.concurrency(1).named("inFlight"));

        /** A request that takes nothing of one of the two limits of what is in flight. */
        final Charge light = waits(mixed).costing("heavy", 0);

        RateLimiterStorage storage = shared;
        AlarmedWaiters waiters = new AlarmedWaiters(shared, time);

        final Waiter enter(Charge... charges) {
            return waiters.enter(List.of(charges));
        }

        final Waiter waiter(Charge... charges) {
            Waiter waiter = enter(charges);
            assertThat(waiter.isDone()).isFalse();
            return waiter;
        }

        static Charge waits(Rule rule) {
            return rule.charge().within(MINUTE);
        }

        final Decision take(Charge charge) {
            Decision decision = storage.decide(List.of(charge));
            assertThat(decision.permitted()).isTrue();
            return decision;
        }

        final long left(Rule rule) {
            return shared.peek(rule, Charge.SHARED).remaining();
        }

        final void advance(Duration duration) {
            time.advance(duration);
            waiters.timer.run();
        }

        static void assertLetIn(Waiter waiter) {
            assertThat(waiter.isDone()).isTrue();
            assertThat(waiter.outcome().permitted()).isTrue();
        }

        static void assertRefusedBy(Rule rule, Waiter waiter) {
            assertThat(waiter.isDone()).isTrue();
            assertThat(waiter.outcome().permitted()).isFalse();
            assertThat(waiter.outcome().rule()).isEqualTo(rule);
            assertThat(waiter.outcome().parts().stream().filter(part -> !part.permitted()))
                    .as("refusing parts")
                    .hasSize(1);
        }

        @Test
        void limitOfWhichNothingIsTakenKeepsNobodyFromTheLine() {
            Decision held = take(pool.charge());
            Waiter first = waiter(waits(pool));
            take(mail.charge());
            take(uploads.charge(Charge.SHARED, 10));

            Waiter second = waiter(
                    waits(pool), mail.charge(Charge.SHARED, 0), uploads.charge().costing("bytes", 0));

            held.close();
            assertLetIn(first);
            first.outcome().close();
            assertLetIn(second);
            assertThat(shared.peek(uploads, Charge.SHARED).limits().get(1).remaining())
                    .isEqualTo(89);
        }

        @Test
        void oneInLineTakesNothingOfItsOtherRules() {
            take(pool.charge());
            waiter(waits(pool));
            waiter(waits(pool), waits(other), uploads.charge(Charge.SHARED, 9));
            assertThat(left(uploads)).isEqualTo(10);
            assertThat(left(other)).isEqualTo(1);
        }

        @Test
        void fullQueueForTurnsOfWhichNothingIsTakenRefusesNobody() {
            take(mail.charge());
            take(api.charge());
            Charge one = waits(mail).waitingAtMost(1);
            waiter(one);
            assertRefusedBy(mail, enter(one));

            Waiter waiter = waiter(
                    waits(api), mail.charge(Charge.SHARED, 0).within(MINUTE).waitingAtMost(1));

            assertThat(waiters.waitingRoom.admission.mayWait(one.waitingAtMost(2)))
                    .isTrue();
            advance(SECOND);
            assertLetIn(waiter);
        }

        @Test
        void fullQueueForTurnsDoesNotKeepFromTheLineForARelease() {
            Rule mixed = Rule.of(
                    "mixed",
                    Limit.concurrency(2).named("inFlight"),
                    Limit.tokenBucket(1, SECOND).named("rate"));
            Decision held = take(mixed.charge());
            waiter(waits(mixed).waitingAtMost(1));

            Waiter waiter = waiter(waits(mixed).costing("rate", 0).waitingAtMost(1));

            held.close();
            assertLetIn(waiter);
        }

        @Test
        void oneThatHasChangedTheLineIsRefusedByThePoolThatIsStillHeld() {
            Decision held = take(pool.charge());
            take(other.charge());
            Waiter waiter = waiter(waits(pool), waits(other));
            held.close();
            assertThat(waiter.isDone()).isFalse();
            advance(MINUTE);
            assertRefusedBy(other, waiter);
            assertThat(waiters.waitingRoom.size()).isZero();
        }

        @Test
        void oneThatHasGotATurnAfterAReleaseIsRefusedByTheRuleOfThat() {
            Decision held = take(pool.charge());
            Waiter waiter = waiter(waits(pool), waits(mail));
            take(mail.charge());
            held.close();
            assertThat(waiter.isDone()).isFalse();
            waiters.waitingRoom.leave(waiter);
            assertRefusedBy(mail, waiter);
            assertThat(waiter.outcome().retryAfter()).contains(SECOND);
        }

        @Test
        void oneThatGetsATurnSinceItRaisesTheLimitIsRefusedByTheRuleOfThat() {
            take(pool.charge());
            Waiter before = waiter(waits(pool));
            take(mail.charge());
            Waiter waiter = waiter(waits(Rule.of("pool", Limit.concurrency(3))), waits(mail));
            assertLetIn(before);
            waiters.waitingRoom.leave(waiter);
            assertRefusedBy(mail, waiter);
        }

        /** A rule with other limits beside those that others wait for. */
        @Test
        void oneBehindOthersIsRefusedByThePoolAlone() {
            take(light);
            waiter(light);
            Waiter second = waiter(light);
            Waiter full = enter(light.waitingAtMost(2));
            advance(MINUTE);
            assertRefusedInFlight(second);
            assertRefusedInFlight(full);
        }

        final void assertRefusedInFlight(Waiter waiter) {
            assertRefusedBy(mixed, waiter);
            Decision refusal = waiter.outcome();
            assertThat(refusal.limit()).isEqualTo(mixed.limits().get(2));
            assertThat(refusal.remaining()).isZero();
            assertThat(refusal.retryAfter()).isEmpty();
            assertThat(refusal.limits()).extracting(LimitStatus::permitted).containsExactly(true, true, false);
        }

        @Test
        void fullLineRefusesThoseThatComeFromAnother() {
            Decision held = take(pool.charge());
            Decision heldLonger = take(other.charge());
            List<Waiter> line = IntStream.range(0, 3)
                    .mapToObj(i -> waiter(waits(pool), waits(other).waitingAtMost(1)))
                    .toList();

            held.close();

            assertThat(line.get(0).isDone()).isFalse();
            line.subList(1, 3).forEach(waiter -> assertRefusedBy(other, waiter));
            assertThat(waiters.waitingRoom.size()).isEqualTo(1);
            assertThat(left(pool)).isEqualTo(1);
            heldLonger.close();
            assertLetIn(line.get(0));
        }
    }

    @Nested
    class InMemory extends Contract {

        static Stream<Charge> tooMuch() {
            Rule quota = Rule.of("quota", Limit.tokenBucket(10, HOUR));
            return Stream.of(
                    quota.charge(Charge.SHARED, 5),
                    quota.charge(Charge.SHARED, 5).within(MINUTE),
                    quota.charge().keeping(50));
        }

        @ParameterizedTest
        @MethodSource("tooMuch")
        void requestThatCannotBeServedInTimeDoesNotJoinTheLine(Charge charge) {
            take(pool.charge());
            take(charge.rule().charge(Charge.SHARED, 6));
            waiter(waits(pool));

            Waiter late = enter(waits(pool), charge);

            assertThat(late.isDone()).isTrue();
            assertThat(late.outcome().permitted()).isFalse();
            Decision part = late.outcome().parts().get(1);
            assertThat(part.retryAfter())
                    .isEqualTo(shared.decide(List.of(charge)).retryAfter())
                    .isPresent();
            assertThat(waiters.waitingRoom.size()).isEqualTo(1);
        }

        @Test
        void requestThatItsOwnRuleCannotServeInTimeDoesNotJoinTheLine() {
            take(light.costing("hourly", 8));
            waiter(light);

            Waiter late = enter(light.costing("hourly", 5));

            assertThat(late.isDone()).isTrue();
            LimitStatus hourly = late.outcome().limits().get(0);
            assertThat(hourly.permitted()).isFalse();
            assertThat(hourly.retryAfter()).contains(HOUR);
            assertThat(waiters.waitingRoom.size()).isEqualTo(1);
        }

        @Test
        void oneBehindOthersIsToldWhereTheOtherLimitsOfItsRuleStand() {
            take(light);
            waiter(light);
            Waiter full = enter(light.waitingAtMost(1));
            LimitStatus hourly = full.outcome().limits().get(0);
            assertThat(hourly.remaining()).isEqualTo(9);
            assertThat(hourly.resetAfter()).isEqualTo(HOUR);
            assertThat(shared.peek(mixed, Charge.SHARED).limits().get(0).remaining())
                    .isEqualTo(9);
        }

        @Test
        void requestWhoseTurnWouldComeInTimeJoinsTheLine() {
            Rule quota = Rule.of("quota", Limit.tokenBucket(10, MINUTE));
            Decision held = take(pool.charge());
            take(quota.charge(Charge.SHARED, 10));
            Waiter first = waiter(waits(pool));
            Waiter second = waiter(waits(pool), quota.charge(Charge.SHARED, 5).within(MINUTE));
            held.close();
            first.outcome().close();
            advance(MINUTE.dividedBy(2));
            assertLetIn(second);
        }

        @Test
        void poolThatIsFullAndNotWaitedForRefusesAtOnceWhereOthersWaitForAnother() {
            take(pool.charge());
            take(other.charge());
            waiter(waits(pool));
            assertThat(enter(other.charge(), waits(pool)).isDone()).isTrue();
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
        void oneThatLeavesUndecidedIsRefusedByThePoolAlone() {
            elsewhere.withhold();
            Waiter waiter = waiter(light);
            waiters.waitingRoom.leave(waiter);
            assertRefusedInFlight(waiter);
            elsewhere.answer();
            assertThat(shared.peek(mixed, Charge.SHARED).limits().get(0).remaining())
                    .isEqualTo(10);
        }
    }
}
