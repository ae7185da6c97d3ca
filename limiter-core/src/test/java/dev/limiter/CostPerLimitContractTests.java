package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static dev.limiter.VirtualTime.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.limiter.memory.Threads;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One request charges each limit of its rule a different number of permits, all or nothing. */
class CostPerLimitContractTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters = TestedStorage.limiters(time);

    /** Refills without rounding: 10 per second, 1000 per second. */
    private final Rule uploads = Rule.of(
            "uploads",
            Limit.tokenBucket(10, SECOND).named("requests"),
            Limit.tokenBucket(1000, SECOND).named("bytes"));

    static Stream<Limit> limits(long limit) {
        return Stream.of(
                Limit.tokenBucket(limit, DAY),
                Limit.leakyBucket(limit, DAY),
                Limit.fixedWindow(limit, DAY),
                Limit.fixedWindow(limit, DAY).alignFirst(),
                Limit.calendarWindow(limit, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(limit, DAY),
                Limit.slidingWindowLog(limit, DAY),
                Limit.concurrency(limit));
    }

    /** Each algorithm with itself and with two others. */
    static Stream<Arguments> pairs() {
        List<Limit> requests = limits(10).toList();
        List<Limit> bytes = limits(1000).toList();
        return IntStream.of(0, 1, 4)
                .boxed()
                .flatMap(distance -> IntStream.range(0, requests.size())
                        .mapToObj(i -> Arguments.of(
                                requests.get(i).named("requests"),
                                bytes.get((i + distance) % bytes.size()).named("bytes"))));
    }

    private static Charge upload(Rule rule, long bytes) {
        return rule.charge("alice").cost("bytes", bytes);
    }

    private void assertLeft(Rule rule, Long... left) {
        Decision decision = limiters.tryAcquire(rule, "alice", 0);
        assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(left);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void chargesEachLimitItsOwnCost(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", requests, bytes);
        for (int i = 1; i <= 3; i++) {
            Decision decision = limiters.tryAcquire(upload(rule, 300));
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(10L - i, 1000L - 300 * i);
        }
        Decision rejected = limiters.tryAcquire(upload(rule, 101));
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.never()).isFalse();
        assertThat(rejected.limit().name()).isEqualTo("bytes");
        assertThat(rejected.limits()).extracting(LimitStatus::permitted).containsExactly(true, false);
        assertLeft(rule, 7L, 100L);
        assertThat(limiters.tryAcquire(upload(rule, 100)).permitted()).isTrue();
        assertLeft(rule, 6L, 0L);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void limitThatCostsNothingNeitherCountsNorRejects(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", requests, bytes);
        limiters.tryAcquire(upload(rule, 1000));
        Decision free = limiters.tryAcquire(upload(rule, 0));
        assertThat(free.permitted()).isTrue();
        assertThat(free.limits()).allMatch(LimitStatus::permitted);
        assertLeft(rule, 8L, 0L);
        limiters.tryAcquire(rule.charge("alice", 8).cost("bytes", 0));
        assertThat(limiters.tryAcquire(upload(rule, 0)).permitted()).isFalse();
        free.giveBack();
        assertLeft(rule, 1L, 0L);
        assertThat(limiters.tryAcquire(upload(rule, 0).cost("requests", 0)).permitted())
                .isTrue();
        assertLeft(rule, 1L, 0L);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void refundsEachLimitItsOwnCost(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", requests, bytes);
        Decision first = limiters.tryAcquire(upload(rule, 300));
        Decision second = limiters.tryAcquire(upload(rule, 500));
        first.giveBack();
        first.giveBack();
        assertLeft(rule, 9L, 500L);
        second.giveBack();
        assertLeft(rule, 10L, 1000L);
    }

    @Test
    void refundsOfOneLimitDoNotAffectOtherLimits() {
        Rule rule = Rule.of(
                "rule",
                Limit.tokenBucket(10, Duration.ofSeconds(10)).named("requests"),
                Limit.tokenBucket(1000, DAY).named("bytes"));
        limiters.tryAcquire(rule.charge("alice", 5).cost("bytes", 0));
        Decision first = limiters.tryAcquire(upload(rule, 100));
        Decision second = limiters.tryAcquire(upload(rule, 100));
        time.advance(Duration.ofSeconds(2));
        first.giveBack();
        second.giveBack();
        // two of seven have leaked, and two were returned
        assertThat(limiters.tryAcquire(rule, "alice", 0).limits().get(0).remaining())
                .isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void moreThanALimitCanEverHoldIsNever(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", requests, bytes);
        Decision rejected = limiters.tryAcquire(upload(rule, 1001));
        assertThat(rejected.never()).isTrue();
        assertThat(rejected.retryAfter()).isEmpty();
        assertThat(rejected.limit().name()).isEqualTo("bytes");
        assertThat(rejected.limits()).extracting(LimitStatus::permitted).containsExactly(true, false);
        assertThat(rejected.limits()).extracting(LimitStatus::remaining).containsExactly(10L, 1000L);
        MemoryPromises.holds(limiters, 0);
        limiters.tryAcquire(rule, "alice");
        assertThat(limiters.tryAcquire(upload(rule, 1001)).never()).isTrue();
        assertThat(limiters.tryAcquire(rule.charge("alice", 11).cost("bytes", 1))
                        .limit()
                        .name())
                .isEqualTo("requests");
        assertLeft(rule, 9L, 999L);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void changedLimitsKeepTheirUse(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", requests, bytes);
        Decision taken = limiters.tryAcquire(upload(rule, 300));
        Rule turned = Rule.of("rule", Limit.tokenBucket(5, DAY).named("new"), bytes, requests);
        Decision after =
                limiters.tryAcquire(turned.charge("alice", 2).cost("bytes", 100).cost("new", 4));
        assertThat(after.limits()).extracting(LimitStatus::remaining).containsExactly(1L, 600L, 7L);
        taken.giveBack();
        assertLeft(turned, 1L, 900L, 8L);
        after.giveBack();
        assertLeft(turned, 5L, 1000L, 10L);
    }

    /** In Redis each limit has its own state, so this one does not affect others. */
    @Test
    @Tag(MemoryPromises.TAG)
    void limitThatWasLoweredBelowItsUseRejectsUntilItFits() {
        limiters.tryAcquire(upload(uploads, 900));
        Rule lowered = Rule.of(
                "uploads",
                uploads.limits().get(0),
                Limit.tokenBucket(100, SECOND).named("bytes"));
        Decision rejected = limiters.tryAcquire(upload(lowered, 0));
        assertThat(rejected.limit().name()).isEqualTo("bytes");
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(800));
        assertThat(limiters.tryAcquire(upload(lowered, 0).cost("requests", 0)).permitted())
                .isTrue();
        time.advance(Duration.ofMillis(800).minusNanos(STEP));
        assertThat(limiters.tryAcquire(upload(lowered, 0)).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(upload(lowered, 0)).permitted()).isTrue();
    }

    @Test
    void retryAfterIsExact() {
        limiters.tryAcquire(upload(uploads, 900));
        Decision rejected = limiters.tryAcquire(upload(uploads, 300));
        assertThat(rejected.retryAfter()).contains(Duration.ofMillis(200));
        time.advance(Duration.ofMillis(200).minusNanos(STEP));
        assertThat(limiters.tryAcquire(upload(uploads, 300)).permitted()).isFalse();
        time.advance(STEP);
        assertThat(limiters.tryAcquire(upload(uploads, 300)).permitted()).isTrue();
    }

    @Test
    void reserveIsKeptOfEachLimit() {
        Charge charge = upload(uploads, 400).reserve(50);
        assertThat(limiters.tryAcquire(charge).limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(4L, 100L);
        assertThat(limiters.tryAcquire(charge).limit().name()).isEqualTo("bytes");
        assertThat(limiters.tryAcquire(charge.cost("bytes", 0)).permitted()).isTrue();
        assertLeft(uploads, 8L, 600L);
    }

    @Test
    void waitsForTheTurnOfTheLimitThatIsLast() {
        limiters.tryAcquire(upload(uploads, 1000));
        Decision waits = limiters.tryAcquire(upload(uploads, 500).maxWait(SECOND));
        assertThat(waits.delay()).isEqualTo(Duration.ofMillis(500));
        assertThat(limiters.tryAcquire(upload(uploads, 0).maxWait(SECOND)).delay())
                .isZero();
        assertThat(limiters.tryAcquire(upload(uploads, 501).maxWait(SECOND)).permitted())
                .isFalse();
        waits.giveBack();
        assertThat(limiters.tryAcquire(upload(uploads, 500).maxWait(SECOND)).delay())
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void takesOnlyTheCostOfTheLimitFromTheNextWindow() {
        Rule rule = Rule.of(
                "windows",
                Limit.fixedWindow(10, SECOND).named("requests"),
                Limit.fixedWindow(1000, SECOND).named("bytes"));
        time.set(VirtualTime.START - VirtualTime.START % SECOND.toNanos());
        limiters.tryAcquire(upload(rule, 800));
        assertThat(limiters.tryAcquire(upload(rule, 600).maxWait(SECOND)).delay())
                .isEqualTo(SECOND);
        // the next window has 400 bytes left; all requests are for the next one now
        assertThat(limiters.tryAcquire(upload(rule, 500).maxWait(SECOND)).permitted())
                .isFalse();
        assertThat(limiters.tryAcquire(upload(rule, 0).maxWait(SECOND)).delay()).isEqualTo(SECOND);
        time.advance(SECOND);
        assertLeft(rule, 8L, 400L);
    }

    @Test
    void requestThatWaitsForAReleaseDoesNotBlockRequestsThatHoldNothing() throws Exception {
        Rule pool = Rule.of(
                "pool",
                Limit.concurrency(1).named("running"),
                Limit.tokenBucket(10, SECOND).named("requests"));
        Decision running = limiters.tryAcquire(pool, "alice");
        Charge job = pool.charge("alice").maxWait(Duration.ofSeconds(30));
        CompletableFuture<Decision> waits = limiters.acquireAsync(List.of(job), () -> true);
        CompletableFuture<Decision> question = limiters.acquireAsync(List.of(job.cost("running", 0)), () -> true);
        assertThat(question.get(60, TimeUnit.SECONDS).permitted()).isTrue();
        assertThat(waits).isNotDone();
        running.close();
        assertThat(waits.get(60, TimeUnit.SECONDS).permitted()).isTrue();
    }

    @Test
    void chargesOfOneKeyAddUpLimitByLimit() {
        Decision decision = limiters.tryAcquire(upload(uploads, 300), uploads.charge("alice", 2), upload(uploads, 0));
        assertThat(decision.limits()).extracting(LimitStatus::remaining).containsExactly(6L, 698L);
        decision.giveBack();
        assertLeft(uploads, 10L, 1000L);
        assertThat(limiters.tryAcquire(upload(uploads, Long.MAX_VALUE), upload(uploads, Long.MAX_VALUE))
                        .never())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void threadsTakeNoMoreThanEachLimitHas(Limit requests, Limit bytes) {
        Rule rule = Rule.of("rule", Limit.tokenBucket(40, DAY).named("other"), requests, bytes);
        List<Callable<long[]>> clients = IntStream.range(0, 4)
                .<Callable<long[]>>mapToObj(seed -> () -> takenBy(rule, new SplittableRandom(seed)))
                .toList();
        long[] taken = new long[3];
        try (Threads threads = new Threads()) {
            for (long[] own : threads.race(clients)) {
                for (int i = 0; i < taken.length; i++) {
                    taken[i] += own[i];
                }
            }
        }
        assertLeft(rule, 40 - taken[0], 10 - taken[1], 1000 - taken[2]);
        assertThat(taken).doesNotContain(0);
    }

    private long[] takenBy(Rule rule, SplittableRandom random) {
        long[] taken = new long[3];
        for (int i = 0; i < times(2000); i++) {
            Charge charge = upload(rule, random.nextLong(400)).cost("other", random.nextLong(3));
            Decision decision = limiters.tryAcquire(charge);
            if (decision.permitted() && random.nextInt(3) == 0) {
                decision.giveBack();
            } else if (decision.permitted()) {
                for (int limit = 0; limit < taken.length; limit++) {
                    taken[limit] += charge.permits(limit);
                }
            }
        }
        return taken;
    }

    @Test
    void equalCostsAreThePlainCharge() {
        assertThat(upload(uploads, 1)).isEqualTo(uploads.charge("alice"));
        assertThat(upload(uploads, 5).cost("requests", 5)).isEqualTo(uploads.charge("alice", 5));
        assertThat(upload(uploads, 5).permits(0)).isEqualTo(1);
        assertThat(upload(uploads, 5).permits()).isEqualTo(5);
        assertThat(upload(uploads, 5)).isEqualTo(upload(uploads, 7).cost("bytes", 5));
        assertThat(PermitArithmetic.isPlain(upload(uploads, 5))).isFalse();
        List<Charge> changed = new ArrayList<>();
        changed.add(upload(uploads, 5).maxWait(SECOND));
        changed.add(upload(uploads, 5).reserve(10));
        changed.add(upload(uploads, 5).maxWaiting(3));
        assertThat(changed).allMatch(charge -> charge.permits(0) == 1 && charge.permits(1) == 5);
    }

    @Test
    void invalidCostsAreReported() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> uploads.charge("alice").cost("byte", 5))
                .withMessage("Rule \"uploads\" has no limit named \"byte\"; its limits are \"requests\", \"bytes\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> upload(uploads, -1))
                .withMessage("permits is -1 for rule \"uploads\", but must be 0 or more");
    }
}
