package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several limits in a rule, several charges in a call: all or nothing. */
class SeveralLimitsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    private final Rule orders = Rule.of(
            "orders",
            Limit.tokenBucket(10, SECOND).named("burst"),
            Limit.fixedWindow(25, HOUR).named("hourly"),
            Limit.slidingWindowLog(100, Duration.ofDays(1)));
    private final Rule user = Rule.of("user", Limit.slidingWindowCounter(5, SECOND));
    private final Rule site = Rule.of("site", Limit.tokenBucket(8, SECOND));

    @Test
    void chargesAllLimits() {
        Decision decision = limiters.tryAcquire(orders, "key", 4);
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(6L, 21L, 96L);
        assertThat(decision.limits())
                .extracting(LimitStatus::policy)
                .containsExactly("orders-burst", "orders-hourly", "orders");
        assertThat(decision.limits()).extracting(LimitStatus::limit).isEqualTo(orders.limits());
        assertThat(decision.limits()).allMatch(LimitStatus::permitted);
    }

    @Test
    void leastLeftDecidesWhenAllPermit() {
        assertThat(limiters.tryAcquire(orders, "key").limit().name()).isEqualTo("burst");
        limiters.tryAcquire(orders, "key", 9);
        time.advance(SECOND);
        limiters.tryAcquire(orders, "key", 10);
        time.advance(SECOND);
        Decision decision = limiters.tryAcquire(orders, "key");
        assertThat(decision.limit().name()).isEqualTo("hourly");
        assertThat(decision.remaining()).isEqualTo(4);
    }

    @Test
    void longestRejectionDecides() {
        limiters.tryAcquire(orders, "key", 10);
        Decision burst = limiters.tryAcquire(orders, "key");
        assertThat(burst.limit().name()).isEqualTo("burst");
        assertThat(burst.retryAfter()).contains(Duration.ofMillis(100));
        assertThat(burst.limits()).extracting(LimitStatus::permitted).containsExactly(false, true, true);
        time.advance(SECOND);
        limiters.tryAcquire(orders, "key", 10);
        Decision both = limiters.tryAcquire(orders, "key", 6);
        assertThat(both.limits()).extracting(LimitStatus::permitted).containsExactly(false, false, true);
        assertThat(both.limit().name()).isEqualTo("hourly");
        time.advance(both.retryAfter().orElseThrow().minusNanos(STEP));
        assertThat(limiters.tryAcquire(orders, "key", 6).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(orders, "key", 6).permitted()).isTrue();
    }

    @Test
    void unusedLimitStaysUnusedWhenChanged() {
        Rule narrow = Rule.of("rule", Limit.tokenBucket(1, HOUR).named("a"));
        limiters.tryAcquire(narrow, "key");
        for (int limit = 1; limit < 200; limit++) {
            Rule rule = Rule.of(
                    "rule",
                    Limit.tokenBucket(1, HOUR).named("a"),
                    Limit.fixedWindow(limit, Duration.ofSeconds(limit)).named("b"),
                    Limit.fixedWindow(limit, HOUR).named("c"));
            Decision rejected = limiters.tryAcquire(rule, "key");
            assertThat(rejected.permitted()).isFalse();
            assertThat(rejected.limits()).extracting(LimitStatus::remaining).containsExactly(0L, (long) limit, (long)
                    limit);
        }
    }

    @Test
    void takesSeveralChargesOrNone() {
        Charge[] charges = {user.charge("alice"), site.charge(Charge.SHARED, 2)};
        for (int i = 1; i <= 4; i++) {
            Decision decision = limiters.tryAcquire(charges);
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(5L - i, 8L - 2 * i);
        }
        Decision rejected = limiters.tryAcquire(charges);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.rule()).isEqualTo(site);
        assertThat(rejected.limits()).extracting(LimitStatus::permitted).containsExactly(true, false);
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(250));
        assertThat(limiters.peek(user, "alice").remaining()).isEqualTo(1);
        time.advance(Duration.ofMillis(250).minusNanos(STEP));
        assertThat(limiters.tryAcquire(charges).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(charges).permitted()).isTrue();
    }

    @Test
    void tightestRuleDecidesWhenAllPermit() {
        assertThat(limiters.tryAcquire(site.charge(), user.charge("alice")).rule())
                .isEqualTo(user);
        assertThat(limiters.tryAcquire(site.charge("x", 8), user.charge("bob")).rule())
                .isEqualTo(site);
    }

    @Test
    void statusesAreInTheOrderOfTheCharges() {
        Decision decision = limiters.tryAcquire(site.charge(), orders.charge("alice"), user.charge("alice"));
        assertThat(decision.limits())
                .extracting(LimitStatus::policy)
                .containsExactly("site", "orders-burst", "orders-hourly", "orders", "user");
    }

    @Test
    void neverPrevailsOverALaterRetry() {
        limiters.tryAcquire(site, Charge.SHARED, 8);
        Decision decision = limiters.tryAcquire(site.charge(), user.charge("alice", 6));
        assertThat(decision.never()).isTrue();
        assertThat(decision.rule()).isEqualTo(user);
        assertThat(decision.retryAfter()).isEmpty();
    }

    @Test
    void chargesOfTheSameKeyAddUp() {
        Charge[] twice = {user.charge("alice"), site.charge(), user.charge("alice", 2)};
        assertThat(limiters.tryAcquire(twice).permitted()).isTrue();
        assertThat(limiters.peek(user, "alice").remaining()).isEqualTo(2);
        Decision rejected = limiters.tryAcquire(twice);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.never()).isFalse();
        assertThat(limiters.peek(user, "alice").remaining()).isEqualTo(2);
        assertThat(limiters.peek(site, Charge.SHARED).remaining()).isEqualTo(7);
        time.advance(rejected.retryAfter().orElseThrow().minusNanos(STEP));
        assertThat(limiters.tryAcquire(twice).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(twice).permitted()).isTrue();
        assertThat(limiters.tryAcquire(user.charge("bob", 3), user.charge("bob", 3))
                        .never())
                .isTrue();
        assertThat(limiters.tryAcquire(user.charge("bob", Long.MAX_VALUE), user.charge("bob", Long.MAX_VALUE))
                        .never())
                .isTrue();
    }

    /** A script in Redis gets the time before it runs, and runs alone. */
    @Test
    @Tag(MemoryPromises.TAG)
    void refundsPermitsAfterALostRace() {
        // another thread takes from the key between the peek and the decision
        int[] readings = {0};
        RateLimiters[] raced = new RateLimiters[1];
        TimeSource interrupting = () -> {
            // both charges are peeked at, the first is taken, and now the second is no longer available
            if (readings[0] > 0 && --readings[0] == 0) {
                raced[0].tryAcquire(site, Charge.SHARED, 8);
            }
            return VirtualTime.START;
        };
        raced[0] = TestedStorage.limiters(interrupting);
        raced[0].tryAcquire(user, "alice");
        raced[0].tryAcquire(site, "other");
        for (int reading = 1; reading < 8; reading++) {
            raced[0].reset(site, Charge.SHARED);
            raced[0].reset(user, "alice");
            raced[0].tryAcquire(site, Charge.SHARED, 1).giveBack();
            readings[0] = reading;
            Decision decision = raced[0].tryAcquire(user.charge("alice", 2), site.charge());
            readings[0] = 0;
            long taken = 5 - raced[0].peek(user, "alice").remaining();
            assertThat(taken).as("raced at reading %d", reading).isEqualTo(decision.permitted() ? 2 : 0);
            decision.giveBack();
            assertThat(raced[0].peek(user, "alice").remaining()).isEqualTo(5);
        }
    }

    @Test
    void noChargeIsAnIllegalArgument() {
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.tryAcquire());
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.storage().decide(List.of()));
    }
}
