package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The arithmetic of every algorithm at the extremes of limits, and changes from any of them to any other. */
class ExtremeLimitsTests {

    private static final long SEED = Long.getLong("limiter.seed", 20_261_121L);
    private static final long YEAR = Duration.ofDays(365).toNanos();
    private static final long SECONDS = 4_000_000_000L;
    private static final long MONTH = Duration.ofDays(31).toNanos();

    private static final RateLimiterFactory ALGORITHMS = new RateLimiterFactory();

    static List<Limit> limits() {
        List<Limit> limits = new ArrayList<>();
        for (long permits : new long[] {1, 1_000_003, Limit.MAX_PERMITS}) {
            for (Duration window :
                    List.of(Duration.ofNanos(1), Duration.ofSeconds(1), Duration.ofDays(1), Duration.ofDays(400))) {
                add(limits, permits, window);
            }
            // as many ticks per sub-window as with a window of one day, each seven times as long
            limits.add(Limit.slidingWindowCounter(permits, Duration.ofDays(7)).buckets(7));
            limits.add(Limit.calendarWindow(permits, Period.ofDays(1), ZoneOffset.UTC));
            limits.add(Limit.calendarWindow(permits, Period.ofMonths(1), ZoneOffset.UTC));
            limits.add(Limit.concurrency(permits));
        }
        return limits;
    }

    private static void add(List<Limit> limits, long permits, Duration window) {
        limits.add(Limit.tokenBucket(permits, window));
        limits.add(Limit.tokenBucket(permits, window).burst(1));
        limits.add(Limit.tokenBucket(permits, window).warmUp(Duration.ofNanos(1)));
        limits.add(Limit.tokenBucket(permits, window).warmUp(Duration.ofDays(30)));
        limits.add(Limit.leakyBucket(permits, window).paced());
        limits.add(Limit.fixedWindow(permits, window));
        limits.add(Limit.fixedWindow(permits, window).alignFirst());
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(1));
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(7));
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(1000));
        limits.add(Limit.slidingWindowLog(permits, window));
    }

    static List<Limit> fastLimits() {
        List<Limit> limits = limits();
        for (Duration window : List.of(
                Duration.ofNanos(100), Duration.ofNanos(1000), Duration.ofMillis(1), Duration.ofNanos(30_000_001))) {
            add(limits, Limit.MAX_PERMITS, window);
            add(limits, Limit.MAX_PERMITS - 1, window);
        }
        return limits;
    }

    private static CompiledLimit compile(Limit limit, long now) {
        return ALGORITHMS.compile(limit, now);
    }

    private static Duration warmUp(Limit limit) {
        return limit instanceof Limit.TokenBucket bucket ? bucket.warmUp() : Duration.ZERO;
    }

    @ParameterizedTest
    @MethodSource("fastLimits")
    void coversSecondsBeforeAndAfterItIsCompiled(Limit limit) {
        CompiledLimit compiled = compile(limit, VirtualTime.START);
        assertThat(compiled.covers(VirtualTime.START + SECONDS)).isTrue();
        assertThat(compiled.covers(VirtualTime.START - SECONDS)).isTrue();
    }

    /** Compiling takes time. */
    @ParameterizedTest
    @MethodSource("fastLimits")
    void decidesWhileTheClockAdvances(Limit limit) {
        long[] now = {VirtualTime.START};
        TimeSource clock = () -> {
            assertThat(now[0] += 1_000_000)
                    .as("A decision for ever, by %s", limit)
                    .isLessThan(VirtualTime.START + SECONDS);
            return now[0];
        };
        RateLimiters limiters = RateLimiters.builder().timeSource(clock).build();
        Rule rule = Rule.of("rule", limit);
        assertThat(limiters.peek(rule, "key").permitted()).isTrue();
        assertThat(limiters.tryAcquire(rule, "key").permitted()).isTrue();
        limiters.tryAcquire(rule, "key", limit.capacity());
    }

    /** Time may be counted coarsely, but no permit becomes available early. */
    @ParameterizedTest
    @MethodSource("fastLimits")
    void grantsNoMoreThanIsConfigured(Limit limit) {
        long window = limit.window().toNanos();
        if (limit instanceof Limit.Concurrency || window > SECONDS) {
            return;
        }
        LimitState state = compile(limit, VirtualTime.START).newState();
        long atBoundary = limit.algorithm() == Algorithm.FIXED_WINDOW ? limit.limit() : 0;
        long granted = 0;
        for (int thirds = 0; thirds < 100; thirds++) {
            long passed = thirds * window / 3;
            long now = VirtualTime.START + passed;
            while (state.remaining(now) > 0) {
                long left = state.remaining(now);
                state.take(now, left);
                granted += left;
            }
            assertThat(granted)
                    .as("%s, after %s ns", limit, passed)
                    .isLessThanOrEqualTo(Exact.mulDiv(limit.limit(), window + passed, window) + atBoundary);
        }
    }

    /** Returns an upper bound of how long a state is used, in nanoseconds. */
    private static long longest(Limit limit) {
        return 4 * (limit.window().toNanos() + warmUp(limit).toNanos()) + MONTH;
    }

    @ParameterizedTest
    @MethodSource("limits")
    void usedPermitsStayUsedUnderAnyOtherLimit(Limit from) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (Limit to : limits()) {
            if (from.algorithm() == Algorithm.CONCURRENCY || to.algorithm() == Algorithm.CONCURRENCY) {
                // used permits are not held, and held permits are not used
                carried(from, to, random, 1, false);
                continue;
            }
            carried(from, to, random, 1, true);
            carried(from, to, random, compile(from, 0).atOnce(), true);
        }
    }

    private static void carried(Limit from, Limit to, SplittableRandom random, long permits, boolean counts) {
        String description = from + " -> " + to + ", " + permits + " taken, -Dlimiter.seed=" + SEED;
        try {
            long now = VirtualTime.START + random.nextLong(YEAR);
            CompiledLimit before = compile(from, now - random.nextLong(YEAR));
            before = before.covers(now) ? before : compile(from, now);
            LimitState used = before.newState();
            assertThat(used.waitNanos(now, permits)).isZero();
            used.take(now, permits);
            CompiledLimit after = compile(to, now);
            LimitState state = after.newState();
            state.carry(used, before, now);
            boolean stays = counts && !mayHaveLeft(from, to);
            long left = after.atOnce() - (stays ? Math.min(permits, after.atOnce()) : 0);
            assertThat(state.remaining(now)).as(description).isBetween(0L, left);
            if (to.algorithm() != Algorithm.CONCURRENCY) {
                assertThat(state.freshAt(now)).as(description).isLessThanOrEqualTo(now + longest(to));
            }
            if (left == 0) {
                waits(after, state, now, description);
            }
        } catch (RuntimeException e) {
            throw new AssertionError(description, e);
        }
    }

    private static void waits(CompiledLimit limit, LimitState state, long now, String description) {
        long wait = state.waitNanos(now, 1);
        assertThat(wait).as(description).isBetween(1L, longest(limit.limit()));
        if (limit.covers(now + wait)) {
            assertThat(state.waitNanos(now + wait - 1, 1)).as(description).isPositive();
            assertThat(state.waitNanos(now + wait, 1)).as(description).isZero();
        }
    }

    /** The previous arithmetic may not cover this time, however far the clock advanced. */
    @ParameterizedTest
    @MethodSource("limits")
    void expiredPermitsDoNotCountUnderAnyOtherLimit(Limit from) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (Limit to : limits()) {
            long start = VirtualTime.START;
            long later = start + longest(from) + (random.nextBoolean() ? random.nextLong(20 * YEAR) : 0);
            if (from.algorithm() != Algorithm.CONCURRENCY) {
                LimitState state = carriedFromFull(from, start, to, later);
                assertThat(state.remaining(later))
                        .as("%s -> %s, %s later, -Dlimiter.seed=%s", from, to, later - start, SEED)
                        .isEqualTo(compile(to, later).atOnce());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aClockThatStepsBackNeitherGrantsNorBlocks(Limit from) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (Limit to : limits()) {
            long start = VirtualTime.START;
            long earlier = start - 1 - random.nextLong(20 * YEAR);
            if (from.algorithm() != Algorithm.CONCURRENCY && to.algorithm() != Algorithm.CONCURRENCY) {
                String description = from + " -> " + to + ", " + (start - earlier) + " earlier, -Dlimiter.seed=" + SEED;
                LimitState state = carriedFromFull(from, start, to, earlier);
                long left = compile(to, earlier).atOnce() - (mayHaveLeft(from, to) ? 0 : 1);
                assertThat(state.remaining(earlier)).as(description).isBetween(0L, left);
                assertThat(state.waitNanos(earlier, 1)).as(description).isBetween(0L, longest(from) + longest(to));
            }
        }
    }

    /**
     * Returns whether permits of a sub-window, which count as evenly distributed, may all have left a bucket or a
     * shorter window.
     */
    private static boolean mayHaveLeft(Limit from, Limit to) {
        boolean bucket = to instanceof Limit.TokenBucket || to instanceof Limit.LeakyBucket;
        return from instanceof Limit.SlidingWindowCounter
                && (bucket || to.window().compareTo(from.window()) < 0);
    }

    private static LimitState carriedFromFull(Limit from, long start, Limit to, long now) {
        CompiledLimit before = compile(from, start);
        LimitState used = before.newState();
        used.take(start, before.atOnce());
        CompiledLimit after = compile(to, now);
        LimitState state = after.newState();
        state.carry(used, before, now);
        return state;
    }

    /** Also if the arithmetic is not exact: a storage then computes how long a state is used, and returns permits. */
    @ParameterizedTest
    @MethodSource("limits")
    void worksAtAnyTimeEvenIfInexact(Limit limit) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int run = 0; run < 40; run++) {
            new Walk(limit, random).run(100, "-Dlimiter.seed=" + SEED + ", run " + run + " of " + limit);
        }
    }

    /** Operations on one key at times that jump, with late returns. */
    private static final class Walk {

        private final SplittableRandom random;
        private final Limit limit;
        private final long window;
        private final List<long[]> taken = new ArrayList<>();
        private long now = VirtualTime.START;
        private CompiledLimit compiled;
        private LimitState state;

        Walk(Limit limit, SplittableRandom random) {
            this.random = random;
            this.limit = limit;
            this.window = Math.max(limit.window().toNanos(), 1);
            this.compiled = compile(limit, now);
            this.state = compiled.newState();
        }

        void run(int steps, String description) {
            try {
                for (int i = 0; i < steps; i++) {
                    now = Math.floorMod(now + jump(), 1L << 62);
                    ask();
                    if (!compiled.covers(now)) {
                        renew();
                    }
                    take(permits());
                    giveBack();
                    ask();
                }
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(description, e);
            }
        }

        private long jump() {
            return switch (random.nextInt(10)) {
                case 0 -> 1;
                case 1 -> -random.nextLong(window + 1);
                case 2 -> random.nextLong(window + 1);
                case 3 -> window;
                case 4 -> random.nextLong(5000);
                case 5 -> random.nextInt(10) == 0 ? random.nextLong(-YEAR, YEAR) : 0;
                case 6 -> random.nextInt(10) == 0 ? random.nextLong() / 2 : 0;
                default -> 0;
            };
        }

        private long permits() {
            return switch (random.nextInt(8)) {
                case 0 -> 0;
                case 1 -> compiled.capacity();
                case 2 -> compiled.capacity() + 1;
                case 3 -> Long.MAX_VALUE;
                case 4 -> 1 + random.nextLong(compiled.capacity());
                default -> 1;
            };
        }

        private void ask() {
            state.waitNanos(now, 1);
            state.waitNanos(now, permits());
            state.admissionNanos(now, permits(), random.nextBoolean() ? window : Long.MAX_VALUE);
            assertThat(state.remaining(now)).isBetween(0L, compiled.atOnce());
            state.freshAt(now);
        }

        private void renew() {
            CompiledLimit next = compile(limit, now);
            LimitState successor = next.newState();
            successor.carry(state, compiled, now);
            compiled = next;
            state = successor;
            // numbers depend on the version
            taken.clear();
        }

        private void take(long permits) {
            long wait = state.waitNanos(now, permits);
            assertThat(wait).isNotNegative();
            if (permits > compiled.capacity()) {
                assertThat(wait).isEqualTo(CompiledLimit.NEVER);
                return;
            }
            long mark = SingleNumberLimit.NOTHING;
            if (wait == 0) {
                long before = state.remaining(now);
                mark = state.take(now, permits);
                boolean oneByOne = compiled.atOnce() < compiled.capacity();
                assertThat(state.remaining(now)).isEqualTo(before - (oneByOne ? Math.min(permits, 1) : permits));
            } else if (random.nextBoolean() && permits > 0 && state.admissionNanos(now, permits, 2 * window) == 0) {
                mark = state.reserve(now, wait, permits);
            }
            if (mark != SingleNumberLimit.NOTHING) {
                taken.add(new long[] {mark, permits});
            }
        }

        private void giveBack() {
            if (!taken.isEmpty() && random.nextBoolean()) {
                long[] last = taken.remove(random.nextInt(taken.size()));
                state.giveBack(new TakenPermits(last[0], Long.MIN_VALUE, 0, last[1]), now);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"13343, P1D", "320251, PT1H", "10000019, PT1H", "10000019, P30D"})
    void emptyBucketGrantsTurnsForItsRefillTime(long permits, Duration window) {
        VirtualTime time = new VirtualTime();
        try (RateLimiters limiters = RateLimiters.builder().timeSource(time).build()) {
            Rule rule = Rule.of("rule", Limit.tokenBucket(permits, window));
            limiters.tryAcquire(rule, "key", permits);
            Duration longest = window.minus(window.dividedBy(100));
            long eighth = permits / 8;
            for (int i = 1; i < 8; i++) {
                assertThat(limiters.storage()
                                .decide(List.of(rule.charge("key", eighth).maxWait(longest)))
                                .permitted())
                        .isTrue();
            }
            assertThat(limiters.storage()
                            .decide(List.of(rule.charge("key", eighth).maxWait(longest)))
                            .permitted())
                    .isFalse();
        }
    }
}
