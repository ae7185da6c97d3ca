package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static dev.limiter.VirtualTime.times;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spi.TakenPermits;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for the next fixed window, and permits that are reserved for others. */
class NextWindowTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long WINDOW = SECOND.toNanos();

    private final VirtualTime time = new VirtualTime(VirtualTime.START - VirtualTime.START % WINDOW);
    private final RateLimiters limiters = TestedStorage.limiters(time);

    private Decision decide(Charge charge) {
        return limiters.storage().decide(List.of(charge));
    }

    @Test
    void takesOfTheNextWindowAndNothingOfTheOneAfter() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(3, SECOND));
        limiters.tryAcquire(rule, "key", 3);
        time.advance(WINDOW / 4);
        Charge charge = rule.charge("key").maxWait(SECOND);
        for (int i = 0; i < 3; i++) {
            assertThat(decide(charge).delay()).isEqualTo(Duration.ofMillis(750));
        }
        Decision rejected = decide(charge);
        assertThat(rejected.permitted()).isFalse();
        // the next window is used up; when it begins, requests can wait for the one after it
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(750));
        time.advance(Duration.ofMillis(750).minusNanos(STEP));
        assertThat(decide(charge).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.peek(rule, "key").permitted()).isFalse();
        assertThat(decide(charge).delay()).isEqualTo(SECOND);
        time.advance(WINDOW);
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(2);
    }

    /** The next window begins with the request after this one. */
    @Test
    void windowsFromTheFirstRequestHaveNoTurns() {
        Limit window = Limit.fixedWindow(3, SECOND).alignFirst().named("window");
        Rule rule = Rule.of("rule", window);
        limiters.tryAcquire(rule, "key", 3);
        Decision rejected = decide(rule.charge("key").maxWait(SECOND));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter()).contains(SECOND);
        Rule both = Rule.of(
                "both", window, Limit.tokenBucket(1, SECOND.multipliedBy(2)).named("bucket"));
        limiters.tryAcquire(both, "key");
        assertThat(decide(both.charge("key").maxWait(SECOND.multipliedBy(2))).delay())
                .isEqualTo(SECOND.multipliedBy(2));
        assertThat(limiters.peek(both, "key").limits().get(0).remaining()).isEqualTo(1);
    }

    @Test
    void waitShorterThanAWindowGetsTheTimeWhenItSuffices() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(1, SECOND));
        Charge charge = rule.charge("key").maxWait(Duration.ofMillis(100));
        limiters.tryAcquire(rule, "key");
        Decision rejected = decide(charge);
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(900));
        time.advance(rejected.retryAfter().orElseThrow().minusNanos(STEP));
        assertThat(decide(charge).permitted()).isFalse();
        time.advance(STEP);
        assertThat(decide(charge).permitted()).isTrue();
        assertThat(decide(charge).retryAfter()).contains(SECOND);
    }

    @Test
    void requestsWaitForCalendarWindows() {
        Rule rule = Rule.of("rule", Limit.calendarWindow(1, Period.ofDays(1), ZoneOffset.UTC));
        limiters.tryAcquire(rule, "key");
        Decision waits = decide(rule.charge("key").maxWait(Duration.ofDays(1)));
        assertThat(waits.permitted()).isTrue();
        time.advance(waits.delay());
        assertThat(limiters.peek(rule, "key").retryAfter()).contains(Duration.ofDays(1));
    }

    @Test
    void refundOfAFullWindowTakesNothingFromRequestsThatWaitForTheNext() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, SECOND));
        Decision current = decide(rule.charge("key", 10));
        decide(rule.charge("key", 3).maxWait(SECOND));
        current.giveBack();
        time.advance(WINDOW);
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(7);
    }

    /** A wait for another rule takes no permits of a window that others could use. */
    @Test
    void waitForAnotherRuleCountsInTheWindowOfItsOwnTurn() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, SECOND));
        Rule paced = Rule.of("paced", Limit.leakyBucket(1, SECOND).paced());
        List<Charge> both = List.of(rule.charge("key"), paced.charge("key").maxWait(SECOND));
        limiters.storage().decide(both);
        assertThat(limiters.storage().decide(both).delay()).isEqualTo(SECOND);
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(8);
        time.advance(WINDOW);
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(10);
    }

    static Stream<Rule> rules() {
        Duration hour = Duration.ofHours(1);
        return Stream.of(
                Rule.of("rule", Limit.tokenBucket(10, hour)),
                Rule.of("rule", Limit.leakyBucket(10, hour)),
                Rule.of("rule", Limit.fixedWindow(10, hour)),
                Rule.of("rule", Limit.fixedWindow(10, hour).alignFirst()),
                Rule.of("rule", Limit.slidingWindowCounter(10, hour)),
                Rule.of("rule", Limit.slidingWindowLog(10, hour)),
                Rule.of("rule", Limit.concurrency(10)),
                Rule.of(
                        "rule",
                        Limit.fixedWindow(10, hour).named("a"),
                        Limit.concurrency(20).named("b")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theReserveIsNotAvailableWithoutPriority(Rule rule) {
        Charge ordinary = rule.charge("key").reserve(20);
        for (int left = 7; left >= 0; left--) {
            Decision permitted = decide(ordinary);
            assertThat(permitted.permitted()).isTrue();
            assertThat(permitted.remaining()).isEqualTo(left);
            assertThat(permitted.limits().get(0).remaining()).isEqualTo(left);
        }
        Decision rejected = decide(ordinary);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.remaining()).isZero();
        assertThat(decide(rule.charge("key")).remaining()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void severalPermitsKeepTheReserveAndAreRefunded(Rule rule) {
        Decision permitted = decide(rule.charge("key", 3).reserve(20));
        assertThat(permitted.remaining()).isEqualTo(5);
        permitted.giveBack();
        Decision one = decide(rule.charge("key").reserve(20));
        assertThat(one.remaining()).isEqualTo(7);
        one.giveBack();
        assertThat(limiters.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void waitingWithoutPriorityKeepsTheReserveOfBothWindows() {
        Rule rule = Rule.of("rule", Limit.fixedWindow(10, SECOND));
        Charge ordinary = rule.charge("key").reserve(30).maxWait(SECOND);
        decide(rule.charge("key", 7).reserve(30));
        for (int i = 0; i < 7; i++) {
            assertThat(decide(ordinary).delay()).isEqualTo(SECOND);
        }
        assertThat(decide(ordinary).permitted()).isFalse();
        assertThat(decide(rule.charge("key", 3).maxWait(SECOND)).delay()).isEqualTo(SECOND);
        time.advance(WINDOW);
        assertThat(limiters.peek(rule, "key").permitted()).isFalse();
    }

    @Test
    void waitingWithoutPriorityLastsUntilTheReserveIsFull() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, SECOND));
        limiters.tryAcquire(rule, "key", 10);
        Charge charge = rule.charge("key").reserve(50).maxWait(SECOND);
        assertThat(decide(charge).delay()).isEqualTo(Duration.ofMillis(600));
        assertThat(decide(charge).delay()).isEqualTo(Duration.ofMillis(700));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10})
    void decidesAsTheModel(int limit) {
        for (int seed = 0; seed < times(300); seed++) {
            new Run(limit, seed).run();
        }
    }

    private record TakenPermits(Decision decision, long window, long permits) {}

    /** The used permits per window. */
    private static final class Run {

        private final long seed;
        private final SplittableRandom random;
        private final VirtualTime time = new VirtualTime();
        private final RateLimiters limiters = TestedStorage.limiters(time);
        private final Rule rule;
        private final long limit;
        private final Map<Long, Long> used = new HashMap<>();
        private final Map<Long, Long> leaving = new HashMap<>();
        private final List<TakenPermits> taken = new ArrayList<>();

        Run(int limit, long seed) {
            this.seed = seed;
            this.limit = limit;
            this.random = new SplittableRandom(seed);
            this.rule = Rule.of("rule", Limit.fixedWindow(limit, SECOND));
        }

        private long used(long window) {
            return used.getOrDefault(window, 0L);
        }

        void run() {
            for (int i = 0; i < 60; i++) {
                time.advance(random.nextInt(3) == 0 ? 0 : random.nextLong(WINDOW));
                if (random.nextInt(5) == 0 && !taken.isEmpty()) {
                    giveBack(taken.remove(random.nextInt(taken.size())));
                } else {
                    take();
                }
                long window = time.now() / WINDOW;
                assertThat(limiters.peek(rule, "key").remaining())
                        .as("seed %d", seed)
                        .isEqualTo(limit - used(window));
            }
            assertThat(leaving.values())
                    .as("who leaves in one window, seed %d", seed)
                    .allMatch(permits -> permits <= limit);
        }

        private void take() {
            long window = time.now() / WINDOW;
            long rest = (window + 1) * WINDOW - time.now();
            long permits = 1 + random.nextLong(limit);
            int keptPercent = random.nextInt(3) == 0 ? 40 : 0;
            long maxWait = random.nextBoolean() ? 0 : random.nextLong(2 * WINDOW);
            long needed = permits + limit * keptPercent / 100;
            boolean now = needed <= limit - used(window);
            boolean next = !now && needed <= limit - used(window + 1) && rest <= maxWait;
            Decision decision = limiters.storage()
                    .decide(List.of(
                            rule.charge("key", permits).reserve(keptPercent).maxWait(Duration.ofNanos(maxWait))));
            assertThat(decision.permitted()).as("seed %d", seed).isEqualTo(now || next);
            assertThat(decision.delay().toNanos()).as("seed %d", seed).isEqualTo(next ? rest : 0);
            if (now || next) {
                long of = now ? window : window + 1;
                // once a request is served from the next window, no other is served from this one
                used.compute(window, (key, value) -> next ? limit : used(window));
                used.merge(of, permits, Long::sum);
                leaving.merge(of, permits, Long::sum);
                taken.add(new TakenPermits(decision, of, permits));
            }
        }

        private void giveBack(TakenPermits one) {
            long window = time.now() / WINDOW;
            one.decision().giveBack();
            boolean counts = one.window() > window || one.window() == window && used(window + 1) == 0;
            if (counts) {
                used.merge(one.window(), -one.permits(), Long::sum);
                leaving.merge(one.window(), -one.permits(), Long::sum);
            }
        }
    }
}
