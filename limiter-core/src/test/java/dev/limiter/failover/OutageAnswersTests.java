package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A refusal in memory tells what holds for the same request, whatever it costs of each limit. */
class OutageAnswersTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final CommandedStorage remote = new CommandedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final FailoverRateLimiterStorage storage =
            FailoverRateLimiterStorage.builder(remote, local).timeSource(time).build();

    private Decision decide(Charge... charges) {
        return storage.decide(List.of(charges));
    }

    /** A refusal one step of the clock earlier, and a grant then. */
    private void assertExact(Charge charge, Duration expected) {
        Decision refused = decide(charge);
        assertThat(refused.onFailure()).contains(OnFailure.LOCAL);
        assertThat(refused.retryAfter()).contains(expected);
        time.advance(expected.minusNanos(VirtualTime.STEP));
        assertThat(decide(charge).permitted()).isFalse();
        time.advance(VirtualTime.STEP);
        assertThat(decide(charge).permitted()).isTrue();
    }

    @Test
    void theRuleIsWholeAndTheLimitThatDecidesAShare() {
        Rule orders = Rule.of(
                "orders",
                Limit.tokenBucket(6, HOUR).named("hourly"),
                Limit.fixedWindow(30, DAY).named("daily"));
        remote.instances(3);
        remote.fail("");
        for (Decision decision : List.of(decide(orders.charge("key")), decide(orders.charge("key", 3)))) {
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
            assertThat(decision.rule()).isEqualTo(orders);
            assertThat(decision.limit()).isEqualTo(Limit.tokenBucket(2, HOUR).named("hourly"));
            assertThat(decision.limits())
                    .extracting(LimitStatus::limit)
                    .containsExactly(
                            Limit.tokenBucket(2, HOUR).named("hourly"),
                            Limit.fixedWindow(10, DAY).named("daily"));
        }
    }

    @Test
    void aLimitThatTheRequestCostsNothingIsNotWaitedFor() {
        Rule both = Rule.of(
                "both",
                Limit.slidingWindowLog(4, Duration.ofSeconds(3)).named("a"),
                Limit.slidingWindowLog(2, Duration.ofSeconds(30)).named("b"));
        Charge free = both.charge("key").costing("b", 0);
        remote.instances(2);
        decide(free);
        time.advance(SECOND);
        remote.fail("");
        assertThat(decide(both.charge("key")).permitted()).isTrue();
        LimitStatus unused = decide(free).limits().get(1);
        assertThat(unused.permitted()).isTrue();
        assertThat(unused.retryAfter()).isEmpty();
        assertExact(free, Duration.ofSeconds(2));
    }

    @Test
    void severalPermitsAreWaitedForUntilAllAreThere() {
        Rule log = Rule.of("log", Limit.slidingWindowLog(4, Duration.ofSeconds(10)));
        decide(log.charge("key"));
        remote.fail("");
        for (int i = 0; i < 2; i++) {
            time.advance(SECOND);
            assertThat(decide(log.charge("key")).permitted()).isTrue();
        }
        assertExact(log.charge("key", 3), Duration.ofSeconds(9));
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(10, DAY),
                Limit.tokenBucket(10, DAY).warmUp(DAY),
                Limit.leakyBucket(10, DAY),
                Limit.leakyBucket(10, DAY).burst(10).paced(),
                Limit.fixedWindow(10, DAY),
                Limit.fixedWindow(10, DAY).startingWithFirst(),
                Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(10, DAY),
                Limit.slidingWindowLog(10, DAY),
                Limit.concurrency(10));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void whatIsAboveTheLimitIsNeverGranted(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(2);
        decide(rule.charge("known"));
        remote.fail("");
        for (String key : List.of("known", "unheard")) {
            Decision above = decide(rule.charge(key, limit.capacity() + 1));
            assertThat(above.permitted()).isFalse();
            assertThat(above.never()).as(key).isTrue();
            assertThat(above.retryAfter()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aLimitThatRefusesForNowHidesNoneThatNeverGrants(Limit limit) {
        Rule both = Rule.of(
                "both",
                limit.named("a"),
                Limit.fixedWindow(1, HOUR).startingWithFirst().named("b"));
        decide(both.charge("key").costing("a", 0));
        remote.fail("");
        assertThat(decide(both.charge("key").costing("a", limit.capacity())).never())
                .isFalse();
        assertThat(decide(both.charge("key").costing("a", limit.capacity() + 1)).never())
                .isTrue();
    }

    /** The shared storage grants it when it is back. */
    @ParameterizedTest
    @MethodSource("limits")
    void whatOnlyAShareIsTooSmallForIsNotRefusedForEver(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(5);
        decide(rule.charge("known"));
        remote.fail("");
        for (String key : List.of("known", "unheard")) {
            Decision above = decide(rule.charge(key, 3));
            assertThat(above.permitted()).isFalse();
            assertThat(above.never()).as(key).isFalse();
            assertThat(above.retryAfter()).as(key).isPresent();
        }
    }

    /** The shared storage grants it when it is back: there is as much beside the reserve of the whole limit. */
    @ParameterizedTest
    @MethodSource("limits")
    void whatOnlyTheReserveOfAShareRefusesIsNotRefusedForEver(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(2);
        decide(rule.charge("known"));
        remote.fail("");
        for (String key : List.of("known", "unheard")) {
            Decision above = decide(rule.charge(key, 4).keeping(50));
            assertThat(above.permitted()).isFalse();
            assertThat(above.never()).as(key).isFalse();
            assertThat(above.retryAfter()).as(key).isPresent();
            assertThat(decide(rule.charge(key, 6).keeping(50)).never()).as(key).isTrue();
        }
    }

    /** Limits of which what was used may be known when the shared storage fails. */
    static Stream<Limit> countingLimits() {
        return limits().filter(limit -> !limit.isSpaced());
    }

    static Stream<Limit> buckets() {
        return Stream.of(Limit.tokenBucket(60, Duration.ofMinutes(1)), Limit.leakyBucket(60, Duration.ofMinutes(1)));
    }

    /** Two that leaked at the same time would be as fast as two limits. */
    @ParameterizedTest
    @MethodSource("buckets")
    void whatIsGrantedInAnOutageLeaksBehindWhatTheBucketHeld(Limit bucket) {
        Rule rule = Rule.of("rule", bucket);
        decide(rule.charge("key", 30));
        remote.fail("");
        assertThat(decide(rule.charge("key", 30)).permitted()).isTrue();
        time.advance(Duration.ofSeconds(31));
        assertThat(decide(rule.charge("key", 32)).retryAfter()).contains(SECOND);
        assertThat(decide(rule.charge("key", 31)).permitted()).isTrue();
        assertExact(rule.charge("key"), SECOND);
        time.advance(Duration.ofMinutes(2));
        assertThat(decide(rule.charge("key", 60)).permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void whatWasGrantedInAnOutageIsOwedBehindWhatTheBucketHeld(Limit bucket) {
        Rule rule = Rule.of("rule", bucket);
        for (int seconds : new int[] {20, 40}) {
            String key = "after" + seconds;
            decide(rule.charge(key, 30));
            remote.fail("");
            assertThat(decide(rule.charge(key, 30)).permitted()).isTrue();
            time.advance(Duration.ofSeconds(seconds));
            remote.work("");
            Decision next = decide(rule.charge(key));
            assertThat(next.onFailure()).isEmpty();
            assertThat(next.remaining()).isEqualTo(seconds - 1);
        }
    }

    /** Another instance of as many has granted as much, and charged it before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void turnsThatRequestsWaitForAreOwed(int instances) {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, SECOND));
        remote.instances(instances);
        for (int i = 1; i < instances; i++) {
            for (int permits : new int[] {5, 10}) {
                assertThat(remote.shared
                                .decide(List.of(rule.charge("key", permits).within(SECOND)))
                                .permitted())
                        .isTrue();
            }
        }
        Charge waits = rule.charge("key", 10 / instances).within(SECOND.multipliedBy(2));
        remote.fail("");
        for (int i = 0; i < 3; i++) {
            assertThat(decide(waits).delay()).isEqualTo(SECOND.multipliedBy(i));
        }
        remote.work("");
        Decision refused = decide(rule.charge("key", 10).within(SECOND.multipliedBy(2)));
        assertThat(refused.onFailure()).isEmpty();
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.resetAfter()).isEqualTo(SECOND.multipliedBy(3));
        time.advance(SECOND);
        assertThat(decide(rule.charge("key", 10).within(SECOND.multipliedBy(2))).delay())
                .isEqualTo(SECOND.multipliedBy(2));
    }

    static Stream<Limit> windowsWithTurns() {
        return Stream.of(Limit.fixedWindow(10, DAY), Limit.calendarWindow(10, Period.ofDays(1), ZoneOffset.UTC));
    }

    @ParameterizedTest
    @MethodSource("windowsWithTurns")
    void permitsOfTheNextWindowAreOwedBeforeItBegins(Limit window) {
        Rule rule = Rule.of("rule", window);
        Charge waits = rule.charge("key").within(DAY);
        remote.fail("");
        assertThat(decide(rule.charge("key", 10)).permitted()).isTrue();
        Duration next = decide(rule.charge("key", 6).within(DAY)).delay();
        assertThat(next).isPositive();
        assertThat(decide(rule.charge("key", 4).within(DAY)).delay()).isEqualTo(next);
        remote.work("");
        Decision refused = decide(waits);
        assertThat(refused.onFailure()).isEmpty();
        assertThat(refused.permitted()).isFalse();
        time.advance(next);
        refused = decide(rule.charge("key"));
        assertThat(refused.onFailure()).isEmpty();
        assertThat(refused.permitted()).isFalse();
        assertThat(decide(waits).permitted()).isTrue();
    }

    /** A bucket that is warm is as good as new much later than its next request may go. */
    @Test
    void turnsOfABucketThatWarmsUpAreOwedUntilTheNextOne() {
        Rule rule =
                Rule.of("rule", Limit.tokenBucket(10, Duration.ofSeconds(10)).warmUp(Duration.ofSeconds(30)));
        remote.fail("");
        assertThat(decide(rule.charge("key", 5)).permitted()).isTrue();
        time.advance(local.peek(rule, "key").retryAfter().orElseThrow().minusMillis(500));
        remote.work("");
        Decision next = decide(rule.charge("key"));
        assertThat(next.onFailure()).isEmpty();
        assertThat(next.retryAfter().orElseThrow()).isLessThan(Duration.ofSeconds(3));
    }

    static Stream<Limit> shortLimits() {
        Duration window = Duration.ofSeconds(10);
        return Stream.of(
                Limit.tokenBucket(10, window),
                Limit.leakyBucket(10, window),
                Limit.fixedWindow(10, window),
                Limit.fixedWindow(10, window).startingWithFirst(),
                Limit.slidingWindowCounter(10, window),
                Limit.slidingWindowLog(10, window));
    }

    @ParameterizedTest
    @MethodSource("shortLimits")
    void whatIsGivenBackWhenItCountsNoMoreIsNotHadAgain(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        Decision old = decide(rule.charge("key", 5));
        time.advance(Duration.ofSeconds(20));
        assertThat(decide(rule.charge("key", 10)).permitted()).isTrue();
        remote.fail("");
        old.giveBack();
        Decision refused = decide(rule.charge("key"));
        assertThat(refused.onFailure()).contains(OnFailure.LOCAL);
        assertThat(refused.permitted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void whatIsGivenBackOfABucketIsWhatHasNotLeaked(Limit bucket) {
        Rule rule = Rule.of("rule", bucket);
        Decision old = decide(rule.charge("key", 50));
        time.advance(Duration.ofSeconds(20));
        assertThat(decide(rule.charge("key", 30)).permitted()).isTrue();
        remote.fail("");
        old.giveBack();
        assertThat(decide(rule.charge("key", 31)).permitted()).isFalse();
        assertThat(decide(rule.charge("key", 30)).permitted()).isTrue();
    }

    /** The reserve of a share of 3 is none, of the limit 2. */
    @ParameterizedTest
    @MethodSource("countingLimits")
    void theReserveIsLeftOfSharesOfWhichItIsLessThanAPermit(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(3);
        remote.fail("");
        assertThat(decide(rule.charge("new", 2).keeping(20)).permitted()).isTrue();
        Decision refused = decide(rule.charge("new").keeping(20));
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.never()).isFalse();
        Decision large = decide(rule.charge("new", 3).keeping(20));
        assertThat(large.permitted()).isFalse();
        assertThat(large.never()).isFalse();
        assertThat(decide(rule.charge("new")).permitted()).isTrue();
        assertThat(decide(rule.charge("new")).permitted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("countingLimits")
    void whatIsGivenBackIsNoneOfTheReserve(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(3);
        decide(rule.charge("key", 4));
        decide(rule.charge("key")).giveBack();
        remote.fail("");
        assertThat(decide(rule.charge("key").keeping(20)).permitted()).isTrue();
        assertThat(decide(rule.charge("key").keeping(20)).permitted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("countingLimits")
    void theReserveIsLeftForThoseWithPriority(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        decide(rule.charge("key", 5).keeping(50));
        remote.fail("");
        Decision refused = decide(rule.charge("key").keeping(50));
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.never()).isFalse();
        assertThat(decide(rule.charge("key", 5)).permitted()).isTrue();
        assertThat(decide(rule.charge("key")).permitted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("countingLimits")
    void instancesShareWhatIsLeftBesideTheReserve(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        remote.instances(2);
        decide(rule.charge("key").keeping(50));
        remote.fail("");
        for (int left = 1; left >= 0; left--) {
            Decision permitted = decide(rule.charge("key").keeping(50));
            assertThat(permitted.permitted()).isTrue();
            assertThat(permitted.remaining()).isEqualTo(left);
        }
        assertThat(decide(rule.charge("key").keeping(50)).permitted()).isFalse();
        assertThat(decide(rule.charge("key", 2)).permitted()).isTrue();
        assertThat(decide(rule.charge("key")).permitted()).isFalse();
    }

    @Test
    void theTimeUntilMoreThanTheReserveIsLeftIsExact() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, HOUR));
        decide(rule.charge("key", 8));
        time.advance(Duration.ofMinutes(2));
        remote.fail("");
        assertExact(rule.charge("key").keeping(50), Duration.ofMinutes(22));
    }

    /** The share of one instance tells it: the others may have used as much of theirs. */
    @ParameterizedTest
    @CsvSource({"1,99", "2,98", "10,90"})
    void aBucketOfWhichAllIsGrantedTellsOfTheNextPermit(int instances, int used) {
        Rule rule = Rule.of("rule", Limit.tokenBucket(100, Duration.ofSeconds(100)));
        remote.instances(instances);
        decide(rule.charge("key", used));
        remote.fail("");
        Decision last = decide(rule.charge("key"));
        assertThat(last.remaining()).isZero();
        Duration share = Duration.ofSeconds(instances);
        assertThat(last.resetAfter()).isEqualTo(Duration.ofSeconds(100));
        assertThat(decide(rule.charge("key")).retryAfter()).contains(share);
        time.advance(share);
        assertThat(decide(rule.charge("key")).permitted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,5", "2,1", "2,12", "3,12"})
    void aLookAtAPacedLimitTellsWhatTheNextRequestGets(int instances, int burst) {
        Rule paced = Rule.of("paced", Limit.leakyBucket(6, DAY).burst(burst).paced());
        remote.instances(instances);
        decide(paced.charge("key"));
        time.advance(HOUR);
        remote.fail("");
        Decision looked = storage.peek(paced, "key");
        assertThat(local.size()).as("states").isZero();
        Decision asked = decide(paced.charge("key"));
        assertThat(asked.permitted()).isFalse();
        assertThat(looked.permitted()).isFalse();
        assertThat(looked.limits()).isEqualTo(asked.limits());
        assertThat(looked.remaining()).isZero();
        assertExact(paced.charge("key"), looked.retryAfter().orElseThrow());
    }

    @Test
    void aLookAtAPacedLimitOfWhichNothingIsUsedIsPermitted() {
        Rule paced = Rule.of("paced", Limit.leakyBucket(6, DAY).burst(12).paced());
        decide(paced.charge("key"));
        time.advance(DAY);
        remote.fail("");
        assertThat(storage.peek(paced, "key").remaining()).isEqualTo(1);
        assertThat(decide(paced.charge("key")).permitted()).isTrue();
    }

    /** A decision elsewhere refuses the request, so nothing of this rule is asked for. */
    @Test
    void aPacedLimitThatIsNotAskedForIsBehindTheTurnsAsWell() {
        remote.cluster();
        Rule paced = Rule.of("paced", Limit.leakyBucket(1, HOUR).burst(5).paced());
        Rule spent = Rule.of("spent", Limit.fixedWindow(1, SECOND).startingWithFirst());
        decide(paced.charge("a:key"));
        decide(spent.charge("b:key"));
        remote.fail("a");
        Decision refused = decide(paced.charge("a:key"), spent.charge("b:key"));
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.retryAfter()).contains(HOUR);
        // decided in two places, it would wait for no turn
        Charge waits = paced.charge("a:key").within(DAY);
        assertThat(decide(waits, spent.charge("b:key")).retryAfter()).contains(HOUR);
    }

    @Test
    void aTurnThatARequestWouldWaitForDoesNotRefuseIt() {
        Rule rule = Rule.of(
                "rule",
                Limit.concurrency(1).named("running"),
                Limit.leakyBucket(1, HOUR).burst(5).paced().named("pace"));
        decide(rule.charge("key"));
        remote.fail("");
        Decision refused = decide(rule.charge("key").within(DAY));
        assertThat(refused.limits()).extracting(LimitStatus::permitted).containsExactly(false, true);
        assertThat(refused.retryAfter()).isEmpty();
        assertThat(refused.delay()).isZero();
        assertThat(decide(rule.charge("key")).limits())
                .extracting(LimitStatus::permitted)
                .containsExactly(false, false);
    }

    /** A place behind turns takes nothing of other limits, which nobody would ever release. */
    @Test
    void aPacedLimitIsQueuedForAlone() {
        Rule rule = Rule.of(
                "rule",
                Limit.concurrency(5).named("running"),
                Limit.leakyBucket(1, HOUR).burst(20).paced().named("pace"),
                Limit.fixedWindow(10, DAY).startingWithFirst().named("daily"));
        for (int i = 0; i < 5; i++) {
            decide(rule.charge("key", 0).costing("pace", 1).within(DAY));
        }
        time.advance(HOUR);
        remote.fail("");
        Decision granted = decide(rule.charge("key").within(DAY));
        assertThat(granted.delay()).isEqualTo(HOUR.multipliedBy(4));
        assertThat(granted.limits()).extracting(LimitStatus::remaining).containsExactly(4L, 0L, 9L);
    }
}
