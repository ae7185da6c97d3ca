package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.VirtualWaiting;
import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that wait for reserved turns: of buckets and fixed windows, of one rule and of several. */
class ReservedTurnsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final VirtualWaiting room =
            new VirtualWaiting(new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000), time);
    private final RateLimiters limiters = room.limiters;
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule slow = Rule.of(
            "slow", Limit.leakyBucket(1, SECOND.multipliedBy(10)).burst(100).paced());
    private final Rule quota = Rule.of("quota", Limit.fixedWindow(3, HOUR));

    private static Charge waits(Rule rule) {
        return rule.charge("key").maxWait(HOUR);
    }

    static Stream<Rule> onePerSecond() {
        Limit paced = Limit.leakyBucket(1, SECOND).burst(100).paced();
        return Stream.of(
                Rule.of("paced", paced),
                Rule.of("token", Limit.tokenBucket(1, SECOND)),
                Rule.of("two", paced, Limit.tokenBucket(1000, SECOND).named("too")));
    }

    @ParameterizedTest
    @MethodSource("onePerSecond")
    void arePermittedInOrderExactlyAtTheirTurns(Rule rule) {
        assertThat(room.decide(waits(rule)).delay()).isZero();
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(room.waiter(waits(rule)));
        }
        assertThat(limiters.waiting()).isEqualTo(5);

        room.advance(SECOND.multipliedBy(5));

        for (int i = 0; i < 5; i++) {
            assertThat(requests.get(i).leftAfter()).isEqualTo(SECOND.multipliedBy(i + 1));
        }
        assertThat(limiters.waiting()).isZero();
    }

    @ParameterizedTest
    @MethodSource("onePerSecond")
    void turnOfARequestThatGivesUpStaysUnusedIfOthersAreBehind(Rule rule) {
        room.decide(waits(rule));
        Request first = room.waiter(waits(rule));
        Request second = room.waiter(waits(rule));

        first.cancel();
        room.advance(SECOND.multipliedBy(2));

        assertThat(second.leftAfter()).isEqualTo(SECOND.multipliedBy(2));
    }

    @ParameterizedTest
    @MethodSource("onePerSecond")
    void turnOfTheLastRequestThatGivesUpGoesToTheNext(Rule rule) {
        room.decide(waits(rule));
        Request first = room.waiter(waits(rule));
        room.waiter(waits(rule)).cancel();
        Request next = room.waiter(waits(rule));

        room.advance(SECOND.multipliedBy(2));

        assertThat(first.leftAfter()).isEqualTo(SECOND);
        assertThat(next.leftAfter()).isEqualTo(SECOND.multipliedBy(2));
    }

    @Test
    void requestWithoutATurnInTimeIsRejectedAtOnceAndTakesNothing() {
        room.decide(waits(paced));
        room.waiter(waits(paced));
        Decision rejected = room.decide(paced.charge("key").maxWait(Duration.ofMillis(1500)));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(500));
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND.multipliedBy(2));
    }

    @Test
    void maxWaitingBoundsTheRequestsOfAKey() {
        room.decide(waits(paced));
        Charge charge = waits(paced).maxWaiting(2);
        Request first = room.waiter(charge);
        room.waiter(charge);
        assertThat(limiters.mayWait(charge)).isFalse();
        assertThat(room.decide(charge).retryAfter()).contains(SECOND.multipliedBy(3));
        assertThat(room.enter(paced.charge("other").maxWait(HOUR).maxWaiting(0)).isPermitted())
                .isTrue();
        first.cancel();
        assertThat(limiters.mayWait(charge)).isTrue();
        assertThat(room.enter(charge).waits()).isTrue();
    }

    @Test
    void requestOfSeveralRulesIsPermittedAtItsLastTurn() {
        Charge[] both = {waits(slow), waits(paced), quota.charge("key")};
        assertThat(room.decide(both).permitted()).isTrue();
        room.waiter(waits(paced));
        Request second = room.waiter(both);
        Request third = room.waiter(both);
        Decision rejected = room.decide(both);

        room.advance(SECOND.multipliedBy(20));

        assertThat(second.leftAfter()).isEqualTo(SECOND.multipliedBy(10));
        assertThat(third.leftAfter()).isEqualTo(SECOND.multipliedBy(20));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.rule()).isEqualTo(quota);
    }

    @Test
    void givingUpReturnsTheChargesOfAllRules() {
        Charge[] both = {waits(paced), quota.charge("key")};
        room.decide(both);
        Request second = room.waiter(both);

        second.cancel();

        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(2);
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
        assertThat(limiters.waiting()).isZero();
    }

    /** A client that waits for its own limit does not block the queue of a shared limit. */
    @Test
    void requestCountsForTheRulesThatItWaitsFor() {
        Rule site = Rule.of("site", Limit.tokenBucket(3, SECOND));
        Charge one = waits(site).maxWaiting(1);
        room.decide(waits(slow), one);
        room.waiter(waits(slow), one);
        room.decide(one);
        room.waiter(one);
        assertThat(room.decide(one).permitted()).isFalse();
    }

    @Test
    void chargeThatDoesNotWaitRejectsAtOnce() {
        room.decide(waits(paced));
        Decision rejected = room.decide(paced.charge("key"), waits(quota));
        assertThat(rejected.permitted()).isFalse();
        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(3);
    }

    @Test
    void requestOfAClientThatHasGoneIsRejectedAndOtherTurnsStay() {
        room.decide(waits(paced));
        Request gone = room.enter(() -> false, waits(paced));
        Request broken = room.enter(
                () -> {
                    throw new IllegalStateException("on purpose");
                },
                waits(paced));
        Request last = room.waiter(waits(paced));

        room.advance(SECOND.multipliedBy(3));

        assertThat(gone.isRejected()).isTrue();
        assertThat(broken.isRejected()).isTrue();
        assertThat(last.leftAfter()).isEqualTo(SECOND.multipliedBy(3));
    }

    @Test
    void rejectionAfterGivingUpNamesTheRuleWaitedFor() {
        Rule site = Rule.of("site", Limit.tokenBucket(5, SECOND));
        room.decide(waits(paced));
        Request waiter = room.waiter(waits(site), waits(paced));

        limiters.stopWaiting();

        assertThat(waiter.isRejected()).isTrue();
        assertThat(waiter.outcome().rule()).isEqualTo(paced);
        assertThat(waiter.outcome().retryAfter()).contains(SECOND);
        assertThat(waiter.outcome().parts().get(0).permitted()).isTrue();
    }

    @Test
    void stoppingReturnsAllTurns() {
        room.decide(waits(paced));
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            requests.add(room.waiter(waits(paced)));
        }
        limiters.stopWaiting();
        assertThat(requests).allMatch(Request::isRejected);
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
        assertThat(room.enter(waits(paced)).isRejected()).isTrue();
        assertThat(room.timer.size()).isZero();
        limiters.startWaiting();
        assertThat(room.enter(waits(paced)).waits()).isTrue();
    }

    @Test
    void resetKeepsTurnsAndRestartsTheCount() {
        room.decide(waits(paced));
        Request second = room.waiter(waits(paced));
        limiters.reset(paced, "key");
        assertThat(room.enter(waits(paced)).isPermitted()).isTrue();
        Request next = room.waiter(waits(paced));
        room.advance(SECOND);
        assertThat(second.leftAfter()).isEqualTo(SECOND);
        assertThat(next.leftAfter()).isEqualTo(SECOND);
    }

    @Test
    void anotherLimitOfTheSameNameKeepsTurns() {
        Rule gold = Rule.of("paced", Limit.leakyBucket(10, SECOND).burst(1000).paced());
        room.decide(waits(paced));
        Request first = room.waiter(waits(paced));
        Request second = room.waiter(waits(paced));
        // three permits ahead, at ten per second
        Request third = room.waiter(waits(gold));
        room.advance(SECOND.multipliedBy(2));
        assertThat(third.leftAfter()).isEqualTo(Duration.ofMillis(300));
        assertThat(first.leftAfter()).isEqualTo(SECOND);
        assertThat(second.leftAfter()).isEqualTo(SECOND.multipliedBy(2));
    }
}
