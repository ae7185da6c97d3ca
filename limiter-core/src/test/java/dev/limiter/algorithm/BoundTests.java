package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the most permits that simulated callers get from each algorithm with the bound in {@link Limit}, and the
 * rate of a saturated run with the configured one.
 */
class BoundTests {

    private static final Map<String, String> BOUNDS = new LinkedHashMap<>();
    private static final Map<String, String> RATES = new LinkedHashMap<>();

    static Stream<Limit> bounded() {
        Duration window = Duration.ofSeconds(1);
        return Stream.of(
                Limit.tokenBucket(100, window),
                Limit.tokenBucket(100, window).burst(20),
                Limit.tokenBucket(100, window).burst(300),
                Limit.tokenBucket(100, window).warmUp(window.dividedBy(2)),
                Limit.leakyBucket(100, window),
                Limit.leakyBucket(100, window).paced(),
                Limit.leakyBucket(100, window).paced().warmUp(window.dividedBy(2)),
                Limit.fixedWindow(100, window),
                Limit.slidingWindowCounter(100, window).buckets(1),
                Limit.slidingWindowCounter(100, window).buckets(2),
                Limit.slidingWindowCounter(100, window).buckets(10),
                Limit.slidingWindowCounter(100, window).buckets(100),
                Limit.slidingWindowLog(100, window));
    }

    private static Duration warmUp(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return bucket.warmUp();
        }
        return limit instanceof Limit.LeakyBucket bucket ? bucket.warmUp() : Duration.ZERO;
    }

    /** Returns whether permits are granted one after the other. */
    private static boolean paced(Limit limit) {
        return limit instanceof Limit.LeakyBucket bucket && bucket.even()
                || !warmUp(limit).isZero();
    }

    /** Returns the permits that a saturated caller takes at a time. */
    private static long block(Limit limit) {
        return Math.max(limit.limit() / 2000, 1);
    }

    /** Returns the most permits over any window. */
    private static long bound(Limit limit) {
        if (paced(limit)) {
            return limit.limit() + block(limit);
        }
        if (limit instanceof Limit.FixedWindow) {
            return 2 * limit.limit();
        }
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return limit.limit() + limit.limit() / counter.buckets();
        }
        return limit instanceof Limit.SlidingWindowLog ? limit.limit() : limit.limit() + limit.capacity();
    }

    @ParameterizedTest
    @MethodSource("bounded")
    void grantsNoMoreThanTheBoundOverAnyWindow(Limit limit) {
        long worst = 0;
        // idle and greedy phases of any length, with any pause between requests
        for (long seed = 0; seed < 40; seed++) {
            worst = Math.max(worst, most(limit, new Greed(limit).random(new SplittableRandom(seed))));
            assertThat(worst).as("seed %d", seed).isLessThanOrEqualTo(bound(limit));
        }
        // everything just before a boundary, and everything available just after it
        long window = limit.window().toNanos();
        for (int part = 0; part <= 100; part++) {
            worst = Math.max(worst, most(limit, new Greed(limit).around(part * window / 50)));
            assertThat(worst).as("part %d", part).isLessThanOrEqualTo(bound(limit));
        }
        assertThat(worst).as("how near the bound comes").isGreaterThan(bound(limit) * 9 / 10);
        BOUNDS.put(describe(limit), bound(limit) + " | " + worst);
    }

    /** Returns the most permits within one window, from pairs of time and permits. */
    private static long most(Limit limit, List<long[]> grants) {
        long most = 0;
        long sum = 0;
        int first = 0;
        for (long[] grant : grants) {
            sum += grant[1];
            while (grants.get(first)[0] <= grant[0] - limit.window().toNanos()) {
                sum -= grants.get(first++)[1];
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    /** A caller that takes as much as it can. */
    private static final class Greed {

        private final Limit limit;
        private final long window;
        private final Rule rule;
        private final VirtualTime time = new VirtualTime();
        private final RateLimiters limiters =
                RateLimiters.builder().timeSource(time).build();
        private final List<long[]> grants = new ArrayList<>();

        Greed(Limit limit) {
            this.limit = limit;
            this.window = limit.window().toNanos();
            this.rule = Rule.of("rule", limit);
        }

        /** Takes all available permits, up to {@code most}. */
        private void grab(long most) {
            long permits = Math.min(limiters.peek(rule, "key").remaining(), most);
            if (permits > 0 && limiters.tryAcquire(rule, "key", permits).permitted()) {
                grants.add(new long[] {time.now(), permits});
            }
        }

        List<long[]> random(SplittableRandom random) {
            for (int phase = 0; phase < 40; phase++) {
                time.advance(random.nextLong(window * (phase % 4 == 0 ? 3 : 1)));
                long pause = 1 + random.nextLong(window / (1 + random.nextInt(200)));
                long most = random.nextInt(3) == 0 ? 1 + random.nextLong(limit.limit()) : Long.MAX_VALUE;
                for (int request = random.nextInt(60); request > 0; request--) {
                    grab(most);
                    time.advance(pause);
                }
            }
            return grants;
        }

        /** Takes everything at once, then everything that becomes free, and the same again one window later. */
        List<long[]> around(long offset) {
            long start = time.now() - Math.floorMod(time.now(), window) + 4 * window + offset;
            for (int round = 0; round < 3; round++) {
                time.set(start + round * 5 * window - 1);
                for (int i = 0; i <= 1000; i++) {
                    if (round != 1 || i == 0 || i > 500) {
                        grab(Long.MAX_VALUE);
                    }
                    time.advance(window / 500);
                }
            }
            return grants;
        }
    }

    static Stream<Limit> rates() {
        return Stream.of(
                        Map.entry(1L, Duration.ofDays(30)),
                        Map.entry(3L, Duration.ofSeconds(1)),
                        Map.entry(7L, Duration.ofSeconds(1)),
                        Map.entry(100L, Duration.ofMinutes(1)),
                        Map.entry(1_000L, Duration.ofHours(1)),
                        Map.entry(10_000_019L, Duration.ofDays(30)),
                        Map.entry(7_000_000L, Duration.ofSeconds(1)),
                        Map.entry(9_999_991L, Duration.ofSeconds(1)),
                        Map.entry(10_000_000L, Duration.ofSeconds(1)),
                        Map.entry(315_360_000_000_000L, Duration.ofDays(365)))
                .flatMap(rate -> Stream.of(
                        Limit.tokenBucket(rate.getKey(), rate.getValue()),
                        Limit.tokenBucket(rate.getKey(), rate.getValue())
                                .warmUp(
                                        rate.getValue().compareTo(Duration.ofDays(60)) > 0
                                                ? Duration.ofDays(30)
                                                : rate.getValue().dividedBy(2)),
                        Limit.leakyBucket(rate.getKey(), rate.getValue()),
                        Limit.leakyBucket(rate.getKey(), rate.getValue()).paced(),
                        Limit.fixedWindow(rate.getKey(), rate.getValue()),
                        Limit.slidingWindowCounter(rate.getKey(), rate.getValue())
                                .buckets(1),
                        Limit.slidingWindowCounter(rate.getKey(), rate.getValue()),
                        Limit.slidingWindowLog(rate.getKey(), rate.getValue())));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void keepsTheRateOverASaturatedRun(Limit limit) {
        long window = limit.window().toNanos();
        // from the start of a window, as long as the arithmetic covers, and at most 50 windows
        long start = VirtualTime.START - Math.floorMod(VirtualTime.START, window);
        VirtualTime time = new VirtualTime(start);
        RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
        Rule rule = Rule.of("rule", limit);
        // permits that accumulated before do not count for the rate
        boolean bucket = limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket;
        long saved = bucket && !paced(limit) ? limit.capacity() : 0;
        if (!warmUp(limit).isZero()) {
            time.set(start - 3 * window);
            saturate(limiters, rule, time, start, new ArrayList<>());
        }
        limiters.tryAcquire(rule, "key", saved);
        List<long[]> grants = new ArrayList<>(List.of(new long[] {start, saved}));
        int windows = (int) Math.min(50, ((1L << 62) - start) / window - 2);
        long end = start + windows * window;
        saturate(limiters, rule, time, end, grants);
        long last = saved > 0 ? limiters.peek(rule, "key").remaining() : 0;
        if (last > 0 && limiters.tryAcquire(rule, "key", last).permitted()) {
            grants.add(new long[] {end, last});
        }
        long granted = grants.stream().mapToLong(grant -> grant[1]).sum() - saved;
        long configured = limit.limit() * windows;
        long most = most(limit, grants);
        assertThat(most).isLessThanOrEqualTo(bound(limit));
        double kept = (double) granted / configured;
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            assertThat(kept).isBetween(0.999 / (1 + 1.0 / counter.buckets()), 1.001);
        } else {
            assertThat(kept).isCloseTo(1, within(0.001));
        }
        RATES.put(
                describe(limit),
                String.format(
                        Locale.ROOT,
                        "%,d | %,d | %,d | %+.4f %% | %,d | %,d",
                        windows,
                        configured,
                        granted,
                        100 * (kept - 1),
                        bound(limit),
                        most));
    }

    /** Takes a small block whenever one is available, and the rest if no block fits. */
    private static void saturate(RateLimiters limiters, Rule rule, VirtualTime time, long end, List<long[]> grants) {
        long block = block(rule.limits().get(0));
        while (time.now() < end) {
            Decision decision = limiters.tryAcquire(rule, "key", block);
            if (decision.permitted()) {
                grants.add(new long[] {time.now(), block});
                continue;
            }
            long rest = decision.remaining();
            if (rest > 0 && limiters.tryAcquire(rule, "key", rest).permitted()) {
                grants.add(new long[] {time.now(), rest});
            }
            Duration wait = limiters.tryAcquire(rule, "key", block).retryAfter().orElseThrow();
            time.set(Math.min(time.now() + wait.toNanos(), end));
        }
    }

    private static String describe(Limit limit) {
        String options = limit instanceof Limit.SlidingWindowCounter counter
                ? ", buckets " + counter.buckets()
                : limit.capacity() != limit.limit() ? ", burst " + limit.capacity() : "";
        options += limit instanceof Limit.LeakyBucket bucket && bucket.even() ? ", paced" : "";
        options += warmUp(limit).isZero() ? "" : ", warm-up " + text(warmUp(limit));
        return String.format(
                Locale.ROOT, "%s | %,d per %s", limit.algorithm() + options, limit.limit(), text(limit.window()));
    }

    private static String text(Duration window) {
        if (window.toSeconds() == 0) {
            return window.toMillis() + " ms";
        }
        if (window.toDays() > 0) {
            return window.toDays() + " d";
        }
        return window.toHours() > 0 ? window.toHours() + " h" : window.toSeconds() + " s";
    }

    /** Writes the tables of {@code docs/internals/accuracy.md} to {@code target/}; fails if the page differs. */
    @AfterAll
    static void documentationShowsTheTables() throws IOException {
        StringBuilder table = new StringBuilder();
        table.append("| algorithm | limit | bound over any window | most that was granted |\n");
        table.append("| --- | --- | ---: | ---: |\n");
        BOUNDS.forEach((limit, result) -> table.append(row(limit, result)));
        table.append(
                "\n| algorithm | limit | windows | configured | granted | deviation | bound | most in a window |\n");
        table.append("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        RATES.forEach((limit, result) -> table.append(row(limit, result)));
        Files.writeString(Path.of("target", "accuracy.md"), table);
        if (BOUNDS.size() == bounded().count() && RATES.size() == rates().count()) {
            assertThat(Files.readString(Path.of("..", "docs", "internals", "accuracy.md")))
                    .as("docs/internals/accuracy.md, between its two markers, against limiter-core/target/accuracy.md")
                    .contains("<!-- BoundTests -->\n\n" + table + "\n<!-- end -->");
        }
    }

    private static String row(String limit, String result) {
        return "| " + limit + " | " + result + " |\n";
    }
}
