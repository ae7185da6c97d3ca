package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Permits that were used stay used when a limit changes in an outage. */
class OutageOfChangedLimitsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final CommandedStorage remote = new CommandedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final FailoverRateLimiterStorage storage =
            FailoverRateLimiterStorage.builder(remote, local).timeSource(time).build();

    static Stream<LongFunction<Limit>> limits() {
        return Stream.of(
                limit -> Limit.tokenBucket(limit, DAY),
                limit -> Limit.leakyBucket(limit, DAY),
                limit -> Limit.fixedWindow(limit, DAY),
                limit -> Limit.fixedWindow(limit, DAY).startingWithFirst(),
                limit -> Limit.calendarWindow(limit, Period.ofDays(1), ZoneOffset.UTC),
                limit -> Limit.slidingWindowCounter(limit, DAY),
                limit -> Limit.slidingWindowLog(limit, DAY),
                Limit::concurrency);
    }

    private Decision decide(Limit limit, long permits) {
        return storage.decide(List.of(Rule.of("rule", limit).charge("key", permits)));
    }

    /** So many are granted, one after the other, and no more. */
    private void assertLeft(Limit limit, long permits) {
        assertThat(storage.peek(Rule.of("rule", limit), "key").remaining()).isEqualTo(permits);
        for (int i = 0; i < permits; i++) {
            Decision granted = decide(limit, 1);
            assertThat(granted.permitted()).as("permit " + i + " of " + permits).isTrue();
            assertThat(granted.onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(decide(limit, 1).permitted()).as("one more than " + permits).isFalse();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLoweredLimitLeavesWhatIsNotUsed(LongFunction<Limit> limits) {
        assertThat(decide(limits.apply(20), 8).permitted()).isTrue();
        remote.fail("");
        assertLeft(limits.apply(10), 2);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLimitThatIsLoweredBelowWhatIsUsedLeavesNothing(LongFunction<Limit> limits) {
        assertThat(decide(limits.apply(20), 15).permitted()).isTrue();
        remote.fail("");
        assertLeft(limits.apply(10), 0);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aRaisedLimitLeavesWhatIsNotUsed(LongFunction<Limit> limits) {
        assertThat(decide(limits.apply(20), 15).permitted()).isTrue();
        remote.fail("");
        assertLeft(limits.apply(40), 25);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void eachInstanceHasItsPartOfWhatIsNotUsed(LongFunction<Limit> limits) {
        remote.instances(2);
        assertThat(decide(limits.apply(20), 8).permitted()).isTrue();
        remote.fail("");
        assertLeft(limits.apply(12), 2);
    }

    static Stream<Arguments> changed() {
        return Stream.of(
                Arguments.of(Limit.slidingWindowLog(20, DAY), Limit.tokenBucket(10, DAY)),
                Arguments.of(Limit.tokenBucket(20, DAY), Limit.slidingWindowLog(10, DAY)),
                Arguments.of(
                        Limit.fixedWindow(20, DAY).startingWithFirst(),
                        Limit.tokenBucket(8, DAY).burst(10)),
                Arguments.of(
                        Limit.tokenBucket(20, DAY),
                        Limit.tokenBucket(20, DAY.multipliedBy(2)).burst(10)),
                Arguments.of(Limit.tokenBucket(10, DAY).burst(20), Limit.slidingWindowCounter(10, DAY)));
    }

    @ParameterizedTest
    @MethodSource("changed")
    void aLimitOfAnotherKindLeavesWhatIsNotUsed(Limit before, Limit now) {
        assertThat(decide(before, 8).permitted()).isTrue();
        remote.fail("");
        assertLeft(now, 2);
    }

    @Test
    void aBucketSinksAsFastAsTheLimitIsNow() {
        decide(Limit.tokenBucket(24, DAY), 24);
        remote.fail("");
        Limit lowered = Limit.tokenBucket(12, DAY);
        assertThat(decide(lowered, 1).retryAfter()).contains(HOUR.multipliedBy(26));
        time.advance(HOUR.multipliedBy(26).minusNanos(VirtualTime.STEP));
        assertThat(decide(lowered, 1).permitted()).isFalse();
        time.advance(VirtualTime.STEP);
        assertLeft(lowered, 1);
    }

    /** Has a bucket that was full when the outage began filled up again for long. */
    private void saturate(Limit bucket) {
        decide(bucket, bucket.capacity());
        remote.fail("");
        for (int i = 0; i < 100; i++) {
            time.advance(HOUR);
            assertThat(decide(bucket, 1).permitted()).isTrue();
        }
    }

    @Test
    void aBucketThatWasFullForLongHasToSinkAsOneThatIsFull() {
        saturate(Limit.tokenBucket(24, DAY));
        Limit lowered = Limit.tokenBucket(12, DAY);
        assertThat(decide(lowered, 1).retryAfter()).contains(HOUR.multipliedBy(26));
        time.advance(HOUR.multipliedBy(26).minusNanos(VirtualTime.STEP));
        assertThat(decide(lowered, 1).permitted()).isFalse();
        time.advance(VirtualTime.STEP);
        assertLeft(lowered, 1);
    }

    @Test
    void whatLeakedBeforeALimitIsLoweredIsNotUsed() {
        saturate(Limit.tokenBucket(24, DAY));
        time.advance(HOUR.multipliedBy(20));
        assertLeft(Limit.tokenBucket(12, DAY), 8);
    }

    @Test
    void turnsOfAPacedLimitAreSoFarApartAsTheyAreNow() {
        for (int i = 0; i < 3; i++) {
            storage.decide(List.of(Rule.of("rule", paced(24)).charge("key").within(DAY)));
        }
        remote.fail("");
        Decision refused = decide(paced(12), 1);
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.retryAfter()).contains(HOUR.multipliedBy(6));
    }

    private static Limit paced(long limit) {
        return Limit.leakyBucket(limit, DAY).burst(limit).paced();
    }

    static Stream<Limit> ofTen() {
        return limits().map(limit -> limit.apply(10)).filter(limit -> !limit.isHeld());
    }

    /** As in memory, and in the shared storage. */
    @ParameterizedTest
    @MethodSource("ofTen")
    void heldPermitsCountAsUsedByALimitOfAnotherKind(Limit now) {
        decide(Limit.concurrency(20), 4);
        remote.fail("");
        assertLeft(now, 6);
    }

    @ParameterizedTest
    @MethodSource("ofTen")
    void usedPermitsAreNotHeld(Limit before) {
        decide(before, 4);
        remote.fail("");
        assertLeft(Limit.concurrency(10), 10);
    }

    @Test
    void heldPermitsStayHeldUnderALoweredLimit() {
        decide(Limit.concurrency(20), 8);
        remote.fail("");
        time.advance(HOUR);
        assertLeft(Limit.concurrency(10), 2);
    }
}
