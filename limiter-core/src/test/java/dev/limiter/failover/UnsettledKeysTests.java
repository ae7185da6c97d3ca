package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Grants of more keys than debts are kept of count until the shared storage tells of the key again, and are forgotten
 * then.
 */
class UnsettledKeysTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final OutageUse use = new OutageUse(local, shared, time, 1);
    private final Rule rule = Rule.of("rule", Limit.fixedWindow(10, HOUR).startingWithFirst());
    private long answers = 1;

    private record Answer(Rule rule, String key, long takenAt, long left) implements RemoteRuleStatus {

        @Override
        public long taken(int limit) {
            return 0;
        }

        @Override
        public long left(int limit) {
            return left;
        }

        @Override
        public long lastingNanos(int limit) {
            return HOUR.toNanos();
        }
    }

    @BeforeEach
    void oneKeyOwes() {
        grant("full", 1);
        answered(rule, 4);
    }

    private void answered(Rule rule, long left) {
        use.answered(new Answer(rule, "key", ++answers, left));
    }

    private OutageGrant grant(String key, long permits) {
        OutageGrant grant = reserved(rule.charge(key, permits));
        grant.owe();
        return grant;
    }

    private OutageGrant reserved(Charge charge) {
        assertThat(local.decide(List.of(charge)).permitted()).isTrue();
        OutageUse.Reservation reservation = use.reserve(charge, 1);
        assertThat(reservation.made()).isTrue();
        return new OutageGrant(reservation.use(), charge, charge.rule());
    }

    private void assertLeft(Rule rule, long permits) {
        Charge look = rule.charge("key", 0);
        assertThat(use.of(look).statuses(look, 1, time.epochNanos()).get(0).remaining())
                .isEqualTo(permits);
    }

    @Test
    void countUntilTheNextAnswer() {
        grant("key", 3);
        assertLeft(rule, 1);
        answered(rule, 4);
        assertLeft(rule, 4);
        assertThat(use.settle(List.of(rule.charge("key")))).isCompleted();
        assertThat(shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void countWhateverAnOlderAnswerTells() {
        grant("key", 3);
        use.answered(new Answer(rule, "key", answers - 1, 5));
        assertLeft(rule, 1);
    }

    @Test
    void areGivenBackUntilTheNextAnswer() {
        OutageGrant three = grant("key", 3);
        three.giveBack();
        assertLeft(rule, 4);
    }

    @Test
    void areNotGivenBackToALaterDebtWhenTheyAreForgotten() {
        OutageGrant three = grant("key", 3);
        answered(rule, 4);
        OutageGrant two = grant("key", 2);
        three.giveBack();
        assertLeft(rule, 2);
        two.giveBack();
        assertLeft(rule, 4);
    }

    /** An answer that is awaited may have been made before the other permits were granted. */
    @Test
    void countWhileALateAnswerMayPayForOneOfThem() {
        grant("key", 2);
        OutageGrant late = reserved(rule.charge("key"));
        answered(rule, 4);
        assertLeft(rule, 1);
        late.pay(shared.decide(List.of(rule.charge("key"))));
        assertLeft(rule, 2);
        answered(rule, 4);
        assertLeft(rule, 4);
    }

    @Test
    void areChargedOnceThereIsRoomForTheKey() {
        grant("key", 2);
        assertThat(use.settle(List.of(rule.charge("full")))).isCompleted();
        assertThat(use.owesNothing()).isTrue();
        grant("key", 1);
        assertThat(use.due()).extracting(Charge::key).containsExactly("key");
        answered(rule, 4);
        assertLeft(rule, 1);
        assertThat(use.settle(List.of(rule.charge("key")))).isCompleted();
        assertThat(shared.peek(rule, "key").remaining()).isEqualTo(7);
        assertThat(use.owesNothing()).isTrue();
    }

    /** Whatever a flood of keys does that is refused in the end. */
    @Test
    void areThoseOfKeysThatOweSomethingAlone() {
        use.settle(List.of(rule.charge("full"))).join();
        Charge refused = rule.charge("refused");
        use.reserve(refused, 1).use().unreserve(refused);
        grant("returned", 1).giveBack();
        use.cleanUp();
        grant("key", 2);
        answered(rule, 4);
        use.settle(List.of(rule.charge("key"))).join();
        assertThat(shared.peek(rule, "key").remaining()).isEqualTo(8);
    }

    @Test
    void areThoseOfKeysOfWhichSomethingCounts() {
        shared.decide(List.of(rule.charge("full", 10)));
        use.settle(List.of(rule.charge("full"))).join();
        use.cleanUp();
        assertThat(use.due()).isEmpty();
        time.advance(HOUR.minusNanos(1));
        use.cleanUp();
        assertThat(use.owesNothing()).isFalse();
        time.advance(HOUR.multipliedBy(3));
        use.cleanUp();
        assertThat(use.owesNothing()).isTrue();
    }

    @Test
    void countWhileTheyAreInFlight() {
        Rule pool = Rule.of("pool", Limit.concurrency(5));
        answered(pool, 5);
        OutageGrant two = reserved(pool.charge("key", 2));
        two.owe();
        answered(pool, 5);
        assertLeft(pool, 3);
        two.release();
        assertLeft(pool, 5);
    }

    @Test
    void areGivenBackWhenTheyArePaidForAfterAReset() {
        OutageGrant late = reserved(rule.charge("key"));
        Decision grant = shared.decide(List.of(rule.charge("key")));
        use.forget(rule, "key");
        late.pay(grant);
        assertThat(shared.peek(rule, "key").remaining()).isEqualTo(10);
    }
}
