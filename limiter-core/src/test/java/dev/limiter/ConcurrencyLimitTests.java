package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits of concurrency limits are held until they are released, once. */
class ConcurrencyLimitTests {

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);
    private final Rule two = Rule.of("pool", Limit.concurrency(2));

    /** In Redis, the instance has to renew a held permit. */
    @Test
    @Tag(MemoryPromises.TAG)
    void permitsAsManyAtOnceAsTheLimitForAnyTime() {
        Decision first = limiters.tryAcquire(two, "k");
        assertThat(limiters.tryAcquire(two, "k").permitted()).isTrue();
        time.advance(Duration.ofDays(1000).toNanos());

        Decision rejected = limiters.tryAcquire(two, "k");
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.never()).isFalse();
        assertThat(rejected.retryAfter()).isEmpty();
        assertThat(rejected.resetAfter()).isZero();

        first.close();
        assertThat(limiters.tryAcquire(two, "k").permitted()).isTrue();
    }

    @Test
    void releasesOnceHoweverOftenItIsClosed() {
        Decision first = limiters.tryAcquire(two, "k");
        limiters.tryAcquire(two, "k");

        first.close();
        first.close();
        first.giveBack();

        assertThat(limiters.peek(two, "k").remaining()).isEqualTo(1);
    }

    @Test
    void closingARejectionReleasesNothing() {
        limiters.tryAcquire(two, "k", 2);

        limiters.tryAcquire(two, "k").close();

        assertThat(limiters.peek(two, "k").remaining()).isZero();
    }

    @Test
    void closingReleasesHeldPermitsAndKeepsUsedPermits() {
        Rule both = Rule.of(
                "both",
                Limit.concurrency(1).named("inFlight"),
                Limit.tokenBucket(3, Duration.ofHours(1)).named("rate"));

        limiters.tryAcquire(both, "k").close();
        limiters.tryAcquire(both, "k").close();
        Decision third = limiters.tryAcquire(both, "k");

        assertThat(third.limits()).extracting(LimitStatus::remaining).containsExactly(0L, 0L);
        third.close();
        Decision rejected = limiters.tryAcquire(both, "k");
        assertThat(rejected.limits()).extracting(LimitStatus::permitted).containsExactly(true, false);
        assertThat(rejected.retryAfter()).contains(Duration.ofMinutes(20));
    }

    @Test
    void givingBackAfterClosingReturnsTheRest() {
        Rule both = Rule.of(
                "both",
                Limit.concurrency(1).named("inFlight"),
                Limit.fixedWindow(3, Duration.ofHours(1)).named("rate"));
        Decision decision = limiters.tryAcquire(both, "k");

        decision.close();
        decision.giveBack();

        assertThat(limiters.peek(both, "k").limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(1L, 3L);
    }

    @Test
    void aLoweredLimitPermitsNoRequestUntilEnoughAreReleased() {
        Rule one = Rule.of("pool", Limit.concurrency(1));
        Decision first = limiters.tryAcquire(two, "k");
        Decision second = limiters.tryAcquire(two, "k");

        assertThat(limiters.tryAcquire(one, "k").permitted()).isFalse();
        first.close();
        assertThat(limiters.tryAcquire(one, "k").permitted()).isFalse();
        second.close();
        assertThat(limiters.tryAcquire(one, "k").permitted()).isTrue();
    }

    @Test
    void onlyStatesWithoutHeldPermitsAreEvicted() {
        RateLimiters small = TestedStorage.limiters(time, 100);
        Rule pool = Rule.of("pool", Limit.concurrency(2));
        Decision held = small.tryAcquire(pool, "held");
        Rule other = Rule.of("other", Limit.tokenBucket(5, Duration.ofHours(1)));
        for (int i = 0; i < 1000; i++) {
            small.tryAcquire(other, "flood" + i);
        }
        assertThat(small.peek(pool, "held").remaining()).isEqualTo(1);

        held.close();
        time.advance(Duration.ofHours(2).toNanos());
        MemoryPromises.forgets(small, time);
    }

    @Test
    void rejectsALimitOfZero() {
        assertThatThrownBy(() -> Limit.concurrency(0)).hasMessage("limit is 0, but must be from 1 to 1000000000000000");
    }
}
