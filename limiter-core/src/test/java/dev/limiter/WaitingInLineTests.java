package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of several rules where others wait already: which of them join a line, and the rule that refuses them. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingInLineTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** The same for memory and for a storage elsewhere. */
    abstract static class Contract {

        final VirtualTime time = new VirtualTime();
        final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        final Rule mail = Rule.of("mail", Limit.tokenBucket(1, SECOND));
        final Rule api = Rule.of("api", Limit.tokenBucket(1, SECOND));

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
    }

    @Nested
    class InMemory extends Contract {}

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
    }
}
