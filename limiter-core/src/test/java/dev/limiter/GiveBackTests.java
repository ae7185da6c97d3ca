package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Permits are returned to the state they were taken from, not to a later state of the same key. */
class GiveBackTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();

    static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(10, HOUR),
                Limit.leakyBucket(10, HOUR),
                Limit.fixedWindow(10, HOUR),
                Limit.fixedWindow(10, HOUR).alignFirst(),
                Limit.slidingWindowCounter(10, HOUR),
                Limit.slidingWindowLog(10, HOUR));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void returnsNothingToAStateThatWasReset(Limit limit) {
        RateLimiters limiters = TestedStorage.limiters(time);
        Rule rule = Rule.of("rule", limit);
        Decision old = limiters.tryAcquire(rule, "k", 4);
        limiters.reset(rule, "k");
        limiters.tryAcquire(rule, "k", 7);

        old.giveBack();

        assertThat(limiters.peek(rule, "k").remaining()).isEqualTo(3);
    }

    /** The second state would count for a shorter time than the permits of the first one. */
    @ParameterizedTest
    @MethodSource("limits")
    void returnsNothingToAStateThatWasResetTwice(Limit limit) {
        RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
        Rule rule = Rule.of("rule", limit);
        Decision old = limiters.tryAcquire(rule, "k", 10);
        limiters.reset(rule, "k");
        time.advance(Duration.ofMinutes(1));
        limiters.tryAcquire(rule, "k", 1);
        limiters.reset(rule, "k");
        time.advance(Duration.ofMinutes(1));
        Decision later = limiters.tryAcquire(rule, "k", 10);

        old.giveBack();
        assertThat(limiters.peek(rule, "k").remaining()).isZero();

        later.giveBack();
        assertThat(limiters.peek(rule, "k").remaining()).isEqualTo(10);
    }

    /** Only the in-memory storage evicts states. */
    @ParameterizedTest
    @MethodSource("limits")
    @Tag(MemoryPromises.TAG)
    void returnsNothingToAStateThatWasEvicted(Limit limit) {
        RateLimiters limiters = TestedStorage.limiters(time, 1);
        Rule rule = Rule.of("rule", limit);
        Decision old = limiters.tryAcquire(rule, "k", 4);
        limiters.tryAcquire(rule, "other");
        limiters.tryAcquire(rule, "k", 7);

        old.giveBack();

        assertThat(limiters.peek(rule, "k").remaining()).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void returnsToTheStateUnderAnotherLimit(Limit limit) {
        RateLimiters limiters = TestedStorage.limiters(time);
        Decision old = limiters.tryAcquire(Rule.of("rule", limit), "k", 4);
        Rule raised = Rule.of("rule", raised(limit));
        limiters.tryAcquire(raised, "k", 7);

        old.giveBack();

        assertThat(limiters.peek(raised, "k").remaining()).isEqualTo(93);
    }

    /** The state is fresh when it is taken over, and stays so after a request that takes nothing. */
    @ParameterizedTest
    @MethodSource("windowsThatAreOver")
    void returnsNothingToAnUnusedState(Limit limit, Limit changed) {
        RateLimiters limiters = TestedStorage.limiters(time, 100);
        Rule rule = Rule.of("rule", changed);
        Decision old = limiters.tryAcquire(Rule.of("rule", limit), "k", 4);
        time.advance(Duration.ofDays(3));
        assertThat(limiters.tryAcquire(rule, "k", limit.capacity() + 2).permitted())
                .isFalse();

        old.giveBack();

        assertThat(limiters.peek(rule, "k").remaining()).isEqualTo(limit.capacity() + 1);
        assertThat(limiters.peek(rule, "k").resetAfter()).isZero();
        for (int i = 0; i < 150; i++) {
            limiters.tryAcquire(rule, "flood" + i);
        }
        time.advance(Duration.ofDays(3));
        limiters.storage().cleanUp();
        assertThat(limiters.storage().size()).isZero();
    }

    static Stream<Arguments> windowsThatAreOver() {
        // the remainder of the unused state's number depends on the limit
        return LongStream.range(5, 30)
                .boxed()
                .flatMap(most -> Stream.of(
                        arguments(
                                Limit.calendarWindow(most, Period.ofDays(1), ZoneOffset.UTC),
                                Limit.calendarWindow(most + 1, Period.ofDays(1), ZoneOffset.UTC)),
                        arguments(Limit.fixedWindow(most, HOUR), Limit.fixedWindow(most + 1, HOUR))));
    }

    private static Limit raised(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Limit.tokenBucket(100, HOUR);
            case LEAKY_BUCKET -> Limit.leakyBucket(100, HOUR);
            case FIXED_WINDOW ->
                ((Limit.FixedWindow) limit).alignedToFirst()
                        ? Limit.fixedWindow(100, HOUR).alignFirst()
                        : Limit.fixedWindow(100, HOUR);
            case SLIDING_WINDOW_COUNTER -> Limit.slidingWindowCounter(100, HOUR);
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(100, HOUR);
            case CONCURRENCY -> throw new AssertionError();
        };
    }
}
