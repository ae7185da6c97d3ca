package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Waiting for several rules, for several limits of one, and for rules that change meanwhile. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingForSeveralTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final WaitingRoom waitingRoom =
            new WaitingRoom(limiters.storage(), (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool());
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100).paced());
    private final Rule quota = Rule.of("quota", Limit.fixedWindow(3, HOUR));
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final Rule other = Rule.of("other", Limit.concurrency(1));

    /** A waiter that enters. */
    private Waiter waiter(Charge... charges) {
        Waiter waiter = new Waiter(List.of(charges), time.now(), () -> true, () -> {});
        assertThat(waitingRoom.enter(waiter)).isNull();
        return waiter;
    }

    private Decision answer(Charge... charges) {
        return Objects.requireNonNull(
                waitingRoom.enter(new Waiter(List.of(charges), time.now(), () -> true, () -> {})));
    }

    private static Charge waits(Rule rule) {
        return rule.charge("key").within(HOUR);
    }

    @Test
    void fullPoolThatIsNotWaitedForRefusesInEitherOrder() {
        limiters.tryAcquire(pool, "key");
        limiters.tryAcquire(other, "key");

        assertThat(answer(waits(pool), other.charge("key")).permitted()).isFalse();
        assertThat(answer(other.charge("key"), waits(pool)).permitted()).isFalse();
        assertThat(limiters.waiting()).isZero();
    }

    private Decision answer(Waiter waiter) {
        waitingRoom.tend(waiter);
        return Objects.requireNonNull(waiter.answer());
    }

    private void at(Duration sinceStart) {
        time.set(VirtualTime.START + sinceStart.toNanos());
    }

    private Duration turn(Waiter waiter) {
        return Duration.ofNanos(waitingRoom.admission.due(waiter) - VirtualTime.START);
    }

    @Test
    void aRefusalMakesNobodyWaitForTheTurnOfAnotherRule() {
        Charge[] both = {waits(paced), quota.charge("key", 3)};
        assertThat(limiters.storage().decide(List.of(both)).permitted()).isTrue();
        Decision refused = limiters.storage().decide(List.of(both));
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.delay()).isZero();
    }

    @Test
    void oneRulePacesAndAnotherDoesNot() {
        Charge[] both = {waits(paced), quota.charge("key")};
        assertThat(answer(both).permitted()).isTrue();
        Waiter second = waiter(both);
        Waiter third = waiter(both);
        Decision refused = answer(both);

        assertThat(refused.permitted()).isFalse();
        assertThat(refused.rule()).isEqualTo(quota);
        assertThat(turn(second)).isEqualTo(SECOND);
        assertThat(turn(third)).isEqualTo(SECOND.multipliedBy(2));
        // what was refused was not charged: the next one may go right after the third
        assertThat(turn(waiter(waits(paced)))).isEqualTo(SECOND.multipliedBy(3));
    }

    @Test
    void givingUpReturnsAllCharges() {
        Charge[] both = {waits(paced), quota.charge("key")};
        answer(both);
        Waiter second = waiter(both);
        Waiter third = waiter(waits(paced));

        waitingRoom.leave(second);

        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(2);
        assertThat(turn(third)).isEqualTo(SECOND);
        assertThat(waitingRoom.size()).isEqualTo(1);
    }

    private final Rule slow = Rule.of(
            "slow", Limit.leakyBucket(1, SECOND.multipliedBy(10)).burst(100).paced());

    @Test
    void requestMovesUpInEachQueue() {
        Charge[] both = {waits(slow), waits(paced)};
        answer(both);
        Waiter first = waiter(waits(slow));
        Waiter before = waiter(waits(paced));
        for (int i = 2; i <= 13; i++) {
            waiter(waits(paced));
        }
        Waiter last = waiter(both);
        assertThat(turn(last)).isEqualTo(SECOND.multipliedBy(20));

        waitingRoom.leave(first);
        assertThat(turn(last)).isEqualTo(SECOND.multipliedBy(14));
        waitingRoom.leave(before);
        assertThat(turn(last)).isEqualTo(SECOND.multipliedBy(13));
    }

    @Test
    void permitsOfEachRuleAreReturnedByARequestThatGivesUp() {
        Rule site = Rule.of("site", Limit.tokenBucket(2, SECOND));
        Charge[] both = {waits(slow), waits(site)};
        answer(both);
        time.advance(SECOND);
        Waiter second = waiter(both);
        Waiter third = waiter(both);
        Waiter behind = waiter(waits(site));
        assertThat(turn(behind)).isEqualTo(Duration.ofMillis(1500));

        waitingRoom.leave(third);
        assertThat(turn(behind)).isEqualTo(SECOND);
        waitingRoom.leave(behind);
        waitingRoom.leave(second);

        assertThat(limiters.peek(site, "key").remaining()).isEqualTo(2);
        assertThat(turn(waiter(both))).isEqualTo(SECOND.multipliedBy(10));
    }

    static Stream<Rule> buckets() {
        Duration window = SECOND.multipliedBy(10);
        Limit token = Limit.tokenBucket(10, window);
        return Stream.of(
                Rule.of("site", token),
                Rule.of("site", Limit.leakyBucket(10, window)),
                Rule.of("site", token, Limit.fixedWindow(1_000, HOUR).named("too")),
                Rule.of("site", token, Limit.slidingWindowLog(1_000, HOUR).named("too")));
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void whatLeakedWhileAnotherRuleWasWaitedForIsNotReturned(Rule site) {
        answer(waits(slow));
        Decision first = answer(site.charge("key", 5));
        Waiter waiter = waiter(waits(slow), site.charge("key", 5).within(HOUR));
        first.giveBack();
        at(SECOND.multipliedBy(5));
        assertThat(answer(site.charge("key", 10)).permitted()).isTrue();
        waitingRoom.leave(waiter);
        assertThat(answer(site.charge("key")).permitted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void whatLeakedBeforeTheTurnOfARequestThatLeavesAShareIsNotReturned(Rule site) {
        Decision first = answer(site.charge("key", 5));
        Waiter waiter = waiter(site.charge("key").keeping(60).within(HOUR));
        first.giveBack();
        at(SECOND);
        assertThat(answer(site.charge("key", 10)).permitted()).isTrue();
        waitingRoom.leave(waiter);
        assertThat(answer(site.charge("key")).permitted()).isFalse();
    }

    @Test
    void turnsBehindOneThatHasComeAndIsGivenUpStayApart() {
        Rule mail = Rule.of("mail", Limit.leakyBucket(10, SECOND).burst(100).paced());
        answer(waits(slow));
        Waiter first = waiter(waits(slow), mail.charge("key", 10).within(HOUR));
        Waiter second = waiter(waits(mail));
        Waiter third = waiter(waits(mail));
        assertThat(turn(second)).isEqualTo(SECOND);
        at(Duration.ofMillis(990));

        waitingRoom.leave(first);

        assertThat(turn(second)).isEqualTo(Duration.ofMillis(990));
        assertThat(turn(third)).isEqualTo(Duration.ofMillis(1090));
    }

    @Test
    void requestThatWaitsForOneRuleTakesNoPlaceOfThoseThatWaitForAnother() {
        Rule site = Rule.of("site", Limit.tokenBucket(3, SECOND));
        Charge one = waits(site).waitingAtMost(1);
        answer(waits(slow), one);
        waiter(waits(slow), one);
        answer(one);
        waiter(one);
        assertThat(answer(one).permitted()).isFalse();
    }

    @Test
    void chargeThatWouldNotWaitIsNotWaitedFor() {
        answer(waits(paced));
        Decision refused = answer(paced.charge("key"), waits(quota));
        assertThat(refused.permitted()).isFalse();
        assertThat(limiters.peek(quota, "key").remaining()).isEqualTo(3);
    }

    @Test
    void oneLimitOfARuleHasTurns() {
        Rule both = Rule.of(
                "both",
                Limit.leakyBucket(1, SECOND).burst(100).paced().named("rate"),
                Limit.slidingWindowLog(3, HOUR).named("log"));
        answer(waits(both));
        Waiter second = waiter(waits(both));
        Waiter third = waiter(waits(both));
        assertThat(answer(waits(both)).limit().name()).isEqualTo("log");
        assertThat(turn(third)).isEqualTo(SECOND.multipliedBy(2));

        waitingRoom.leave(third);
        assertThat(limiters.peek(both, "key").limits().get(1).remaining()).isEqualTo(1);
        at(SECOND);
        assertThat(answer(second).permitted()).isTrue();
        assertThat(limiters.peek(both, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void aLimitWhoseTurnsDoNotReachSoFarIsNotPassedByForFree() {
        Rule both = Rule.of(
                "both",
                Limit.leakyBucket(1, HOUR).burst(100).paced().named("slow"),
                Limit.tokenBucket(10_000_019, Duration.ofDays(30)).burst(2).named("fine"));
        answer(waits(both));
        waiter(waits(both));
        assertThat(limiters.peek(both, "key").limits().get(1).remaining()).isLessThan(1);
    }

    @Test
    void twoThatAreHeldAreWaitedForOneAfterTheOther() {
        Decision one = limiters.tryAcquire(pool, "key");
        Decision two = limiters.tryAcquire(other, "key");
        Waiter both = waiter(waits(pool), waits(other));
        Waiter onlyPool = waiter(waits(pool));

        one.close();
        assertThat(both.answer()).as("the other one is still held").isNull();
        Decision passed = Objects.requireNonNull(onlyPool.answer(), "nobody needs the pool in the meantime");
        two.close();
        assertThat(both.answer()).isNull();
        passed.close();

        assertThat(Objects.requireNonNull(both.answer()).permitted()).isTrue();
        assertThat(waitingRoom.size()).isZero();
        both.answer().close();
        assertThat(limiters.peek(pool, "key").permitted()).isTrue();
        assertThat(limiters.peek(other, "key").permitted()).isTrue();
    }

    @Test
    void oneWhoChangesTheLineKeepsThePlaceOfArrival() {
        Decision one = limiters.tryAcquire(pool, "key");
        Decision two = limiters.tryAcquire(other, "key");
        Waiter first = waiter(waits(pool), waits(other));
        Waiter second = waiter(waits(other));

        one.close();
        two.close();

        assertThat(Objects.requireNonNull(first.answer()).permitted()).isTrue();
        assertThat(second.answer()).isNull();
    }

    @Test
    void eachChargeIsWaitedForAsLongAsItWould() {
        limiters.tryAcquire(pool, "key");
        Waiter waiter = waiter(pool.charge("key").within(SECOND), waits(other));
        assertThat(turn(waiter)).isEqualTo(SECOND);
        at(SECOND);
        assertThat(answer(waiter).permitted()).isFalse();
        assertThat(limiters.peek(other, "key").permitted()).isTrue();
    }

    @Test
    void whoIsRefusedForAnotherKeyOfTheSameRuleDoesNotWaitForThatOne() {
        limiters.tryAcquire(pool, "held");
        assertThat(answer(pool.charge("held"), pool.charge("key").within(HOUR)).permitted())
                .isFalse();
    }

    @Test
    void afterARelaseTheRestOfTheTimeIsLeftForATurn() {
        Rule both = Rule.of(
                "both",
                Limit.concurrency(1).named("inFlight"),
                Limit.leakyBucket(1, SECOND.multipliedBy(10)).burst(9).paced().named("rate"));
        Charge patient = both.charge("key").within(SECOND.multipliedBy(10));
        Decision held = limiters.tryAcquire(both, "key");
        Waiter inTime = waiter(patient);
        at(SECOND);
        held.close();
        assertThat(turn(inTime)).isEqualTo(SECOND.multipliedBy(10));
        at(SECOND.multipliedBy(10));
        answer(inTime).close();

        Decision next = answer(both.charge("key").within(SECOND.multipliedBy(9)));
        assertThat(next.permitted()).isFalse();
        assertThat(next.retryAfter()).contains(SECOND);
    }

    @Test
    void anotherLimitOfTheSameNameLosesNoPlaces() {
        Rule gold = Rule.of("paced", Limit.leakyBucket(10, SECOND).burst(1000).paced());
        answer(waits(paced));
        Waiter first = waiter(waits(paced));
        Waiter second = waiter(waits(paced));
        // three permits ahead, at ten per second
        Waiter third = waiter(waits(gold));
        assertThat(turn(third)).isEqualTo(Duration.ofMillis(300));
        // four permits ahead, at one per second again
        Waiter fourth = waiter(waits(paced));
        assertThat(turn(fourth)).isEqualTo(SECOND.multipliedBy(4));
        assertThat(turn(first)).isEqualTo(SECOND);
        assertThat(turn(second)).isEqualTo(SECOND.multipliedBy(2));

        waitingRoom.leave(first);
        assertThat(turn(second)).isEqualTo(SECOND);
        for (Waiter waiter : List.of(second, third, fourth)) {
            time.set(waitingRoom.admission.due(waiter));
            assertThat(answer(waiter).permitted()).isTrue();
        }
        assertThat(waitingRoom.size()).isZero();
    }

    @Test
    void severalChargesWaitUnderAnotherLimitOfTheSameName() {
        Rule free = Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(10).paced());
        Rule gold = Rule.of("paced", Limit.leakyBucket(10, SECOND).burst(1000).paced());
        answer(waits(gold), quota.charge("key"));
        Waiter waiter = waiter(waits(free), quota.charge("key"));
        assertThat(turn(waiter)).isEqualTo(SECOND);
    }

    @Test
    void releaseUnderAnotherLimitOfTheSameNameAdmits() {
        Rule wider = Rule.of("pool", Limit.concurrency(2));
        Decision first = limiters.tryAcquire(wider, "key");
        Decision second = limiters.tryAcquire(wider, "key");
        Waiter waiter = waiter(waits(pool));
        first.close();
        assertThat(waiter.answer()).isNull();
        second.close();
        assertThat(Objects.requireNonNull(waiter.answer()).permitted()).isTrue();
    }

    @Test
    void resetLeavesTurnsAndStartsANewCount() {
        answer(waits(paced));
        Waiter second = waiter(waits(paced));
        Waiter third = waiter(waits(paced));

        limiters.reset(paced, "key");

        assertThat(answer(waits(paced)).permitted()).isTrue();
        Waiter next = waiter(waits(paced));
        assertThat(turn(next)).isEqualTo(SECOND);
        waitingRoom.leave(second);
        assertThat(turn(third)).isEqualTo(SECOND);
        assertThat(turn(next)).isEqualTo(SECOND);
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND.multipliedBy(2));
    }

    @Test
    void resetAdmitsThoseWhoWaitForARelease() {
        Decision held = limiters.tryAcquire(pool, "key");
        Waiter first = waiter(waits(pool));
        Waiter second = waiter(waits(pool));

        limiters.reset(pool, "key");

        assertThat(Objects.requireNonNull(first.answer()).permitted()).isTrue();
        assertThat(second.answer()).isNull();
        held.close();
        assertThat(second.answer()).as("what was forgotten is not released").isNull();
        first.answer().close();
        assertThat(Objects.requireNonNull(second.answer()).permitted()).isTrue();
    }

    /** A lock before which somebody else gets in, once. */
    private static final class Entered extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        private transient Runnable intruder = () -> {};

        @Override
        public void lock() {
            Runnable once = intruder;
            intruder = () -> {};
            once.run();
            super.lock();
        }
    }

    @Test
    void aLineThatIsGoneWhenOneWantsToJoinIt() {
        Entered lock = new Entered();
        WaitingRoom entered =
                new WaitingRoom(limiters.storage(), (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool(), lock);
        Rule both = Rule.of(
                "both",
                Limit.concurrency(3).named("inFlight"),
                Limit.leakyBucket(1, SECOND).burst(9).paced().named("rate"));
        limiters.tryAcquire(both, "key");
        Decision rest = limiters.storage().decide(List.of(both.charge("key", 2).within(HOUR)));
        Waiter last = new Waiter(List.of(waits(both)), time.now(), () -> true, () -> {});
        assertThat(entered.enter(last)).isNull();

        Waiter waiter = new Waiter(List.of(waits(both)), time.now(), () -> true, () -> {});
        lock.intruder = () -> {
            rest.close();
            entered.leave(last);
        };
        assertThat(entered.enter(waiter)).isNull();
        entered.leave(waiter);

        assertThat(Objects.requireNonNull(waiter.answer()).permitted()).isFalse();
        assertThat(entered.size()).isZero();
    }

    @Test
    void aTurnThatComesJustWhenTheTimeIsUpIsTaken() {
        Entered lock = new Entered();
        WaitingRoom entered =
                new WaitingRoom(limiters.storage(), (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool(), lock);
        Decision held = limiters.tryAcquire(pool, "key");
        Waiter waiter = new Waiter(List.of(pool.charge("key").within(SECOND)), time.now(), () -> true, () -> {});
        entered.enter(waiter);
        at(SECOND);
        lock.intruder = held::close;
        entered.tend(waiter);
        assertThat(Objects.requireNonNull(waiter.answer()).permitted()).isTrue();
    }

    @Test
    void theTimerNeverCallsBackUnderTheLocksOfWhoeverSetsIt() {
        WaitTimer timer = WaitTimer.ofTheJdk(TimeSource.system());
        Thread caller = Thread.currentThread();
        AtomicBoolean inside = new AtomicBoolean();
        Deque<CompletableFuture<Void>> calls = new ArrayDeque<>();
        for (int i = 0; i < 20_000; i++) {
            CompletableFuture<Void> called = new CompletableFuture<>();
            calls.add(called);
            timer.after(0, () -> {
                inside.compareAndSet(false, Thread.currentThread() == caller);
                called.complete(null);
            });
        }
        calls.forEach(CompletableFuture::join);
        assertThat(inside).isFalse();
    }

    @Test
    void cancelledWhileItsTurnComes() {
        Rule fast = Rule.of("fast", Limit.leakyBucket(100_000, SECOND).paced());
        RateLimiters real = RateLimiters.builder().build();
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 100; i++) {
                futures.add(real.acquireAsync(fast, "key", HOUR));
            }
            for (int i = 0; i < 100; i += 2) {
                futures.get(futures.size() - 1 - i).cancel(false);
            }
        }
        until(() -> real.waiting() == 0);
        assertThat(futures)
                .allMatch(future -> future.isCancelled() || future.join().permitted());
        real.close();
    }
}
