package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.RateLimiterFactory;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A state that is written down and read after each step answers as one that never was. */
class WrittenStateTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final RateLimiterFactory ALGORITHMS = new RateLimiterFactory();

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(7, SECOND),
                Limit.tokenBucket(1_000_003, SECOND).burst(10),
                Limit.tokenBucket(10, SECOND).warmUp(Duration.ofSeconds(3)),
                Limit.leakyBucket(10, SECOND).burst(3),
                Limit.leakyBucket(10, SECOND).paced(),
                Limit.fixedWindow(7, SECOND),
                Limit.fixedWindow(7, SECOND).startingWithFirst(),
                Limit.calendarWindow(7, Period.ofDays(1), ZoneId.of("Europe/Berlin")),
                Limit.slidingWindowCounter(7, SECOND),
                Limit.slidingWindowCounter(100, SECOND).buckets(3),
                Limit.slidingWindowLog(7, SECOND),
                Limit.slidingWindowLog(1000, SECOND),
                Limit.concurrency(5));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void answersAsOneThatStays(Limit limit) {
        SplittableRandom random = new SplittableRandom(20_261_124);
        for (int run = 0; run < 20; run++) {
            compare(limit, random.split());
        }
    }

    private static void compare(Limit limit, SplittableRandom random) {
        long origin = 1_767_225_600_000_000_000L + random.nextLong(1L << 60);
        long now = origin;
        CompiledLimit arithmetic = ALGORITHMS.compile(limit, origin);
        LimitState stays = arithmetic.newState();
        LimitState read = arithmetic.read(arithmetic.newState().write());
        List<Long> marks = new ArrayList<>();
        long span = limit.window().isZero() ? 1_000_000_000 : limit.window().toNanos();
        for (int step = 0; step < 300; step++) {
            now += switch (random.nextInt(8)) {
                case 0, 1, 2 -> 0;
                case 3 -> random.nextLong(3 * span);
                case 4 -> -random.nextLong(random.nextBoolean() ? span / 4 : 2 * span);
                default -> random.nextLong(span / 8);
            };
            long permits = 1 + random.nextLong(Math.max(limit.capacity() / 4, 1));
            long maxWait = random.nextBoolean() ? 0 : random.nextLong(2 * span);
            if (marks.isEmpty() || random.nextInt(4) > 0) {
                long admission = stays.admissionNanos(now, permits, maxWait);
                assertThat(read.admissionNanos(now, permits, maxWait)).isEqualTo(admission);
                if (admission == 0) {
                    long wait = stays.waitNanos(now, permits);
                    assertThat(read.waitNanos(now, permits)).isEqualTo(wait);
                    long mark = wait == 0 ? stays.take(now, permits) : stays.reserve(now, wait, permits);
                    assertThat(wait == 0 ? read.take(now, permits) : read.reserve(now, wait, permits))
                            .isEqualTo(mark);
                    if (mark != NumberLimit.NOTHING) {
                        marks.add(mark);
                    }
                }
            } else {
                long mark = marks.remove(random.nextInt(marks.size()));
                stays.giveBack(mark, now, permits);
                read.giveBack(mark, now, permits);
            }
            assertThat(read.write()).isEqualTo(stays.write());
            read = ALGORITHMS.compile(limit, origin).read(read.write());
            assertThat(read.remaining(now)).isEqualTo(stays.remaining(now));
            assertThat(read.freshAt(now)).isEqualTo(stays.freshAt(now));
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void numbersThatAreNoStateAreRefused(Limit limit) {
        CompiledLimit arithmetic = ALGORITHMS.compile(limit, 0);
        for (long[] numbers : List.of(
                new long[0], new long[2000], new long[] {0, -1}, new long[] {-1}, new long[] {5, 1, 1, 1, 2, 3, 4})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> arithmetic.read(numbers))
                    .withMessageContaining(limit.toString());
        }
    }

    /** No state that was read grants more than the limit, or a negative wait. */
    @ParameterizedTest
    @MethodSource("limits")
    void noNumbersGrantMoreThanTheLimit(Limit limit) {
        SplittableRandom random = new SplittableRandom(20_261_125);
        long now = 1_767_225_600_000_000_000L;
        CompiledLimit arithmetic = ALGORITHMS.compile(limit, now);
        int read = 0;
        for (int run = 0; run < 20_000; run++) {
            long[] numbers = arithmetic.newState().write();
            if (limit.algorithm() == Algorithm.SLIDING_WINDOW_LOG) {
                numbers = new long[1 + 2 * random.nextInt(4)];
            }
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = odd(random, numbers[i], now);
            }
            LimitState state;
            try {
                state = arithmetic.read(numbers);
            } catch (IllegalArgumentException refused) {
                continue;
            }
            read++;
            long granted = 0;
            while (granted <= limit.capacity() && state.waitNanos(now, 1) == 0) {
                state.take(now, 1);
                granted++;
            }
            assertThat(granted).as("%s", (Object) numbers).isLessThanOrEqualTo(limit.capacity());
            assertThat(state.waitNanos(now, 1)).as("%s", (Object) numbers).isNotNegative();
            assertThat(state.remaining(now)).isBetween(0L, limit.capacity());
            state.freshAt(now);
        }
        assertThat(read).isPositive();
    }

    private static long odd(SplittableRandom random, long number, long now) {
        return switch (random.nextInt(9)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt();
            case 2 -> Long.MAX_VALUE - random.nextInt(3);
            case 3 -> Long.MIN_VALUE + random.nextInt(3);
            case 4 -> now + random.nextInt();
            case 5 -> random.nextInt(10);
            default -> number;
        };
    }
}
