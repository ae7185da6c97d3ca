package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.DelegatingStorage;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.RemoteStorageView;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.VirtualWaiting;
import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that queue: for concurrency, sliding windows, refundable charges, and rules that mix these with others. */
class QueuedRequestsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final Counting storage = new Counting(new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000));
    private final VirtualWaiting room = new VirtualWaiting(storage, time);
    private final RateLimiters limiters = room.limiters;
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule other = Rule.of("other", Limit.concurrency(1));
    private final Rule log = Rule.of("log", Limit.slidingWindowLog(10, SECOND));

    /** Counts calls. */
    private static final class Counting extends DelegatingStorage {

        private int calls;

        Counting(RateLimiterStorage within) {
            super(within);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            calls++;
            return super.decide(charges);
        }

        @Override
        public Decision peek(List<Charge> charges) {
            calls++;
            return super.peek(charges);
        }
    }

    private static Charge waits(Rule rule) {
        return rule.charge("key").maxWait(HOUR);
    }

    private Decision take(Charge charge) {
        Decision decision = limiters.tryAcquire(charge);
        assertThat(decision.permitted()).isTrue();
        return decision;
    }

    @Test
    void firstComeFirstServedAsPermitsAreReleased() {
        Decision held = take(pool.charge("key"));
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            requests.add(room.waiter(waits(pool)));
        }
        for (Request request : requests) {
            held.close();
            assertThat(requests.stream().filter(Request::isPermitted).count()).isEqualTo(requests.indexOf(request) + 1);
            held = request.outcome();
        }
        assertThat(limiters.waiting()).isZero();
    }

    static Stream<Arguments> windows() {
        return Stream.of(
                Arguments.of(Limit.slidingWindowLog(10, SECOND), 10),
                Arguments.of(Limit.slidingWindowCounter(10, SECOND), 11),
                Arguments.of(Limit.slidingWindowCounter(10, SECOND).buckets(2), 15));
    }

    /** However requests arrive: in order, each permitted or rejected in time, never too many in a window. */
    @ParameterizedTest
    @MethodSource("windows")
    void noWindowSeesMoreThanItsBound(Limit limit, int bound) {
        SplittableRandom random = new SplittableRandom(20_261_128);
        Rule rule = Rule.of("window", limit);
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            requests.add(room.enter(rule.charge("key").maxWait(SECOND.multipliedBy(3))));
            room.advance(Duration.ofNanos(random.nextLong(2 * TENTH.toNanos())));
        }
        room.advance(MINUTE);

        List<Duration> left = requests.stream()
                .filter(Request::isPermitted)
                .map(Request::leftAfter)
                .toList();
        assertThat(requests).allMatch(request -> request.isPermitted() || request.isRejected());
        assertThat(left).hasSizeGreaterThan(1_800).isSorted();
        for (int i = bound; i < left.size(); i++) {
            assertThat(left.get(i).minus(left.get(i - bound))).isGreaterThanOrEqualTo(SECOND);
        }
        assertThat(limiters.waiting()).isZero();
        assertThat(room.timer.size()).isZero();
    }

    static Stream<List<Charge>> rejectedAtOnce() {
        Rule pool = Rule.of("pool", Limit.concurrency(1));
        Rule quota = Rule.of("quota", Limit.tokenBucket(10, HOUR));
        Charge waits = pool.charge("key").maxWait(MINUTE);
        return Stream.of(
                List.of(pool.charge("key", 2).maxWait(MINUTE)),
                List.of(waits.maxWaiting(0)),
                List.of(waits, quota.charge("key", 5)),
                List.of(waits, quota.charge("key", 5).maxWait(MINUTE)),
                List.of(waits, quota.charge("key").reserve(50)),
                List.of(waits, quota.charge("key", 11).maxWait(HOUR)));
    }

    /** Whether it is the first that would wait, or finds others there. */
    @ParameterizedTest
    @MethodSource("rejectedAtOnce")
    void requestThatCannotBeServedInTimeDoesNotQueue(List<Charge> charges) {
        take(pool.charge("key"));
        take(Rule.of("quota", Limit.tokenBucket(10, HOUR)).charge("key", 6));
        for (int others = 0; others < 2; others++) {
            Request request = room.enter(charges.toArray(Charge[]::new));
            assertThat(request.isRejected()).as("behind %d", others).isTrue();
            assertThat(limiters.waiting()).isEqualTo(others);
            room.waiter(waits(pool));
        }
    }

    @Test
    void queueHasRoomForMaxWaiting() {
        take(pool.charge("key"));
        Charge charge = waits(pool).maxWaiting(2);
        room.waiter(charge);
        Request second = room.waiter(charge);
        assertThat(limiters.mayWait(charge)).isFalse();
        Request full = room.enter(charge);
        assertThat(full.isRejected()).isTrue();
        assertThat(full.outcome().limit()).isEqualTo(pool.limits().get(0));
        assertThat(full.outcome().retryAfter()).isEmpty();
        second.cancel();
        assertThat(limiters.mayWait(charge)).isTrue();
        room.waiter(charge);
    }

    @Test
    void maxWaitEndsTheWaitOfHeadAndOthers() {
        Decision held = take(pool.charge("key"));
        Request head = room.waiter(pool.charge("key").maxWait(SECOND));
        Request behind = room.waiter(pool.charge("key").maxWait(SECOND.plusMillis(1)));
        Request patient = room.waiter(waits(pool));
        room.advance(SECOND.plusMillis(2));
        assertThat(List.of(head, behind)).allMatch(Request::isRejected);
        assertThat(behind.outcome().rule()).isEqualTo(pool);
        held.close();
        assertThat(patient.isPermitted()).isTrue();
    }

    @Test
    void permitThatIsReleasedJustWhenTheTimeIsUpIsTaken() {
        take(log.charge("key", 10));
        Request request = room.waiter(log.charge("key").maxWait(SECOND));
        room.advance(SECOND);
        assertThat(request.leftAfter()).isEqualTo(SECOND);
    }

    /** By design: the head blocks those behind it from permits that it cannot use alone. */
    @Test
    void headBlocksRequestsBehindItUntilItGivesUp() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        take(two.charge("key"));
        Request both = room.waiter(two.charge("key", 2).maxWait(HOUR));
        Request one = room.waiter(waits(two));
        assertThat(limiters.tryAcquire(two.charge("key")).permitted())
                .as("does not wait")
                .isTrue();
        both.cancel();
        assertThat(one.waits()).isTrue();
        limiters.reset(two, "key");
        assertThat(one.isPermitted()).isTrue();
    }

    @Test
    void nextRequestRetriesWhenTheHeadGivesUp() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        take(two.charge("key"));
        Request both = room.waiter(two.charge("key", 2).maxWait(HOUR));
        Request one = room.waiter(waits(two));
        both.cancel();
        assertThat(one.isPermitted()).isTrue();
    }

    /** The check of its other rules completes late, when it is already the head. */
    @Test
    void nextRequestRetriesWhenAPeekRejectsTheHead() {
        RemoteStorageView elsewhere = new RemoteStorageView(storage);
        VirtualWaiting remote = new VirtualWaiting(elsewhere, time);
        Rule quota = Rule.of("quota", Limit.tokenBucket(1, HOUR));
        Decision held = storage.decide(pool, "key", 1);
        Request first = remote.waiter(waits(pool));
        take(quota.charge("key"));
        elsewhere.withhold();
        Request rejected = remote.waiter(waits(pool), quota.charge("key"));
        Request next = remote.waiter(waits(pool));
        first.cancel();
        held.close();
        for (int i = 0; i < 5; i++) {
            elsewhere.reply();
        }
        assertThat(rejected.isRejected()).isTrue();
        assertThat(next.isPermitted()).isTrue();
    }

    @Test
    void requestInSeveralQueuesRetriesAsTheHeadOfAll() {
        Decision one = take(pool.charge("key"));
        Decision two = take(other.charge("key"));
        Request both = room.waiter(waits(pool), waits(other));
        Request reversed = room.waiter(waits(other), waits(pool));
        Request onlyPool = room.waiter(waits(pool));

        one.close();
        assertThat(List.of(both, reversed, onlyPool)).allMatch(Request::waits);
        two.close();
        assertThat(both.isPermitted()).isTrue();
        both.outcome().close();
        assertThat(reversed.isPermitted()).isTrue();
        reversed.outcome().close();
        assertThat(onlyPool.isPermitted()).isTrue();
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.peek(other, "key").permitted()).isTrue();
    }

    @Test
    void requestWaitsNoLongerThanTheShortestMaxWait() {
        take(pool.charge("key"));
        Request request = room.waiter(pool.charge("key").maxWait(SECOND), waits(other));
        room.advance(SECOND);
        assertThat(request.isRejected()).isTrue();
        assertThat(limiters.peek(other, "key").permitted()).isTrue();
    }

    @Test
    void requestInAQueueTakesNothingOfItsOtherRules() {
        Rule quota = Rule.of("quota", Limit.tokenBucket(10, HOUR));
        Decision held = take(pool.charge("key"));
        Request first = room.waiter(waits(pool));
        Request second = room.waiter(waits(pool), quota.charge("key", 9));
        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(10);
        held.close();
        first.outcome().close();
        assertThat(second.isPermitted()).isTrue();
        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(1);
    }

    /** A client that waits for its own limit does not block others from a shared bucket. */
    @Test
    void requestDoesNotJoinTheQueueOfABucketThatItAlsoNeeds() {
        Rule site = Rule.of("site", Limit.tokenBucket(1, SECOND));
        Decision first = take(pool.charge("first"));
        take(pool.charge("second"));
        Charge shared = site.charge().maxWait(HOUR);
        Request ofFirst = room.waiter(pool.charge("first").maxWait(HOUR), shared);
        Request ofSecond = room.waiter(pool.charge("second").maxWait(HOUR), shared);
        assertThat(room.enter(pool.charge("third").maxWait(HOUR), shared).isPermitted())
                .isTrue();
        first.close();
        room.advance(SECOND);
        assertThat(ofFirst.leftAfter()).isEqualTo(SECOND);
        assertThat(ofSecond.waits()).isTrue();
    }

    /** A request for a concurrency limit holds no permit while it waits for another rule. */
    @Test
    void requestThatWaitsForABucketHoldsNoConcurrencyPermit() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(1, SECOND));
        take(bucket.charge("key"));
        Request request = room.waiter(waits(bucket), pool.charge("key"));
        assertThat(limiters.peek(pool, "key").permitted()).isTrue();
        room.advance(SECOND);
        assertThat(request.leftAfter()).isEqualTo(SECOND);
        assertThat(limiters.peek(pool, "key").permitted()).isFalse();
    }

    /** Twenty turns of a bucket would be granted at once, although the log permits ten. */
    @Test
    void ruleWithBothKindsOfLimitsQueues() {
        Rule mixed = Rule.of(
                "mixed",
                Limit.tokenBucket(100, MINUTE).burst(1).named("rate"),
                Limit.slidingWindowLog(10, Duration.ofSeconds(10)).named("log"));
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(room.enter(mixed.charge("key").maxWait(MINUTE)));
        }
        room.advance(MINUTE);
        for (int i = 0; i < 20; i++) {
            Duration expected = Duration.ofMillis(600).multipliedBy(i % 10).plusSeconds(i < 10 ? 0 : 10);
            assertThat(requests.get(i).leftAfter()).isEqualTo(expected);
        }
    }

    @Test
    void requestsWithPriorityQueueAheadOfOthers() {
        Rule three = Rule.of("three", Limit.concurrency(3));
        List<Decision> held = new ArrayList<>(
                List.of(take(three.charge("key")), take(three.charge("key")), take(three.charge("key"))));
        Charge ordinary = waits(three).reserve(34);
        Request first = room.waiter(ordinary);
        Request second = room.waiter(ordinary);
        Request prior = room.waiter(waits(three));
        Request next = room.waiter(waits(three));

        held.remove(0).close();
        assertThat(prior.isPermitted()).isTrue();
        held.remove(0).close();
        assertThat(next.isPermitted()).isTrue();
        held.remove(0).close();
        assertThat(first.waits()).as("leaves one permit to others").isTrue();
        prior.outcome().close();
        assertThat(first.isPermitted()).isTrue();
        assertThat(second.waits()).isTrue();
    }

    @Test
    void refundableRequestIsAlsoPermittedWhenAPermitExpires() {
        Rule logins = Rule.of("logins", Limit.tokenBucket(1, SECOND));
        Charge login = logins.charge("alice").maxWait(MINUTE).refundable(true);
        assertThat(room.enter(login).isPermitted()).isTrue();
        Request next = room.waiter(login);
        room.advance(SECOND);
        assertThat(next.leftAfter()).isEqualTo(SECOND);
    }

    @Test
    void requestWithoutMaxWaitOrCostIsDecidedByTheStorageAlone() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        take(two.charge("key"));
        room.waiter(two.charge("key", 2).maxWait(HOUR));
        assertThat(room.enter(two.charge("key", 0).maxWait(HOUR)).isPermitted()).isTrue();
        assertThat(room.enter(two.charge("key")).isPermitted()).isTrue();
        assertThat(room.enter(two.charge("key")).isRejected()).isTrue();
    }

    @Test
    void nextRequestIsServedWhenAClientHasGone() {
        Decision held = take(pool.charge("key"));
        boolean[] present = {true};
        Request gone = room.enter(() -> present[0], waits(pool));
        Request broken = room.enter(
                () -> {
                    if (present[0]) {
                        return true;
                    }
                    throw new NoClassDefFoundError("on purpose");
                },
                waits(pool));
        Request next = room.waiter(waits(pool));
        present[0] = false;
        held.close();
        assertThat(gone.isRejected()).isTrue();
        assertThat(broken.isRejected()).isTrue();
        assertThat(next.isPermitted()).isTrue();
    }

    @Test
    void resetServesTheHead() {
        Decision held = take(pool.charge("key"));
        Request first = room.waiter(waits(pool));
        Request second = room.waiter(waits(pool));
        limiters.reset(pool, "key");
        assertThat(first.isPermitted()).isTrue();
        held.close();
        assertThat(second.waits()).as("what was forgotten is not released").isTrue();
        first.outcome().close();
        assertThat(second.isPermitted()).isTrue();
    }

    /** Behind a limit of another size, the head uses the limits with which it arrived. */
    @Test
    void releaseUnderAnotherLimitOfTheSameNameServesTheHead() {
        Rule wider = Rule.of("pool", Limit.concurrency(2));
        Decision first = take(wider.charge("key"));
        Decision second = take(wider.charge("key"));
        Request request = room.waiter(waits(pool));
        first.close();
        assertThat(request.waits()).isTrue();
        second.close();
        assertThat(request.isPermitted()).isTrue();
    }

    /** Keys that share a state because they did not fit receive no releases of each other, and retry every 25 ms. */
    @Test
    void keysThatShareAStateAreServedByPolling() {
        VirtualWaiting small =
                new VirtualWaiting(new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1), time);
        assertThat(small.limiters.tryAcquire(pool, "first").permitted()).isTrue();
        Decision shared = small.limiters.tryAcquire(pool, "one");
        Request request = small.waiter(pool.charge("other").maxWait(HOUR));
        shared.close();
        small.advance(Duration.ofMillis(25));
        assertThat(request.isPermitted()).isTrue();
    }

    /** Leaving needs no decision except for the next head, and no check of other requests. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThousandGiveUpInAnyOrderWithoutCalls(boolean concurrency) {
        Rule rule = concurrency ? pool : log;
        take(rule.charge("key", concurrency ? 1 : 10));
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            requests.add(room.enter(waits(rule).refundable(true)));
        }
        assertThat(limiters.waiting()).isEqualTo(1_000);
        Collections.shuffle(requests, new Random(20_261_128));
        storage.calls = 0;
        room.timer.set = 0;

        requests.forEach(Request::cancel);

        assertThat(limiters.waiting()).isZero();
        assertThat(room.timer.size()).isZero();
        assertThat(storage.calls).as("only for heads that followed a head").isLessThan(50);
        assertThat(room.timer.set).isLessThan(50);
    }

    @Test
    void stoppingRejectsAllAndServesNone() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        take(two.charge("key"));
        Request both = room.waiter(two.charge("key", 2).maxWait(HOUR));
        Request one = room.waiter(waits(two));
        limiters.stopWaiting();
        assertThat(List.of(both, one)).allMatch(Request::isRejected);
        assertThat(limiters.peek(two, "key").remaining()).isEqualTo(1);
        assertThat(room.enter(waits(two)).isPermitted()).isTrue();
        assertThat(room.enter(waits(two)).isRejected()).isTrue();
        limiters.startWaiting();
        room.waiter(waits(two));
    }

    @Test
    void manyAreServedAtOnce() {
        Rule large = Rule.of("large", Limit.concurrency(20_000));
        Decision all = take(large.charge("key", 20_000));
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            requests.add(room.enter(waits(large)));
        }
        all.close();
        assertThat(requests).allMatch(Request::isPermitted);
    }
}
