package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.DelegatingStorage;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A storage that is a few lines of Java goes on while it fails, as one in Redis does. */
class FailoverOfAnyStorageTests implements StorageListener {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final Duration LONG = Duration.ofSeconds(20);

    /** A budget that ends soon; a late answer is awaited for a hundred of them. */
    private static final Duration BRIEF = Duration.ofMillis(100);

    /** More failures in a row than a circuit bears. */
    private static final int MANY = 20;

    private final VirtualTime time = new VirtualTime();
    private final CommandedStorage remote = new CommandedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final List<String> missingRights = new CopyOnWriteArrayList<>();
    private final List<String> questions = new CopyOnWriteArrayList<>();
    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
    private final Rule rule = Rule.of("rule", Limit.fixedWindow(10, HOUR).startingWithFirst());
    private final Rule other = Rule.of("other", Limit.fixedWindow(MANY, HOUR).startingWithFirst());
    private FailoverRateLimiterStorage storage = storage(OnFailure.LOCAL);

    private FailoverRateLimiterStorage storage(OnFailure onFailure) {
        return storage(local, onFailure);
    }

    private FailoverRateLimiterStorage storage(RateLimiterStorage memory, OnFailure onFailure) {
        return FailoverRateLimiterStorage.builder(remote, memory)
                .onFailure(of -> onFailure)
                .listener(this)
                .timeSource(time)
                .build();
    }

    /** Memory that fails on command. */
    private final class FailingMemory extends DelegatingStorage {

        private volatile boolean failing = true;

        FailingMemory() {
            super(local);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            if (failing) {
                throw new IllegalStateException("Memory fails");
            }
            return super.decide(charges);
        }
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        outcomes.add(outcome);
    }

    @Override
    public Consumer<Outcome> asking(List<Charge> charges) {
        String rules = charges.stream().map(charge -> charge.rule().name()).collect(Collectors.joining(","));
        questions.add(rules);
        return outcome -> questions.add(rules + " " + outcome);
    }

    @Override
    public void lost(String node, Throwable cause) {
        changes.add("lost " + node);
    }

    @Override
    public void found(String node) {
        changes.add("found " + node);
    }

    @Override
    public void lacksRight(String message) {
        missingRights.add(message);
    }

    private Decision take(String key, long permits) {
        return storage.decide(List.of(rule.charge(key, permits)));
    }

    private void untilLost(String node) {
        for (int i = 0; i < MANY && !changes.contains("lost " + node); i++) {
            var unused = storage.decide(List.of(other.charge(node + ":lost")));
        }
        assertThat(changes).contains("lost " + node);
    }

    /** Probes succeed a moment after one another, in real time. */
    private void await(BooleanSupplier condition) {
        Conditions.await(() -> {
            time.advance(Duration.ofMillis(500));
            storage.cleanUp();
            return condition.getAsBoolean();
        });
    }

    @Test
    void theRemoteStorageDecidesWhileItWorks() {
        Decision decision = take("key", 4);
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.onFailure()).isEmpty();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(6);
        assertThat(local.size()).isZero();
        assertThat(outcomes).containsExactly(Outcome.OK);
    }

    @Test
    void refusalsDoNotHideThatNothingCanBeWritten() {
        take("spent", 10);
        remote.beReadOnly();
        for (int i = 0; i < MANY && changes.isEmpty(); i++) {
            var unused = take("key" + i, 1);
            for (int refused = 0; refused < 9; refused++) {
                assertThat(take("spent", 1).permitted()).isFalse();
            }
        }
        assertThat(changes).containsExactly("lost ");
    }

    /** A node that says what it does not allow answers, also while nobody asks. */
    @Test
    void probesWithoutARightGiveNothingUp() {
        remote.lackRightOfProbes();
        for (int i = 0; i < MANY; i++) {
            time.advance(Duration.ofSeconds(1));
            storage.cleanUp();
        }
        assertThat(changes).isEmpty();
        assertThat(missingRights).hasSize(MANY).containsOnly("The user may not write");
        assertThat(take("key", 1).onFailure()).isEmpty();
    }

    @Test
    void isAskedAgainAlsoIfProbesLackARight() {
        remote.fail("");
        untilLost("");
        remote.lackRightOfProbes();
        remote.work("");
        await(storage::isAvailable);
        assertThat(changes).containsExactly("lost ", "found ");
        assertThat(missingRights).isNotEmpty();
    }

    @Test
    void probesWithoutARightGiveUpNoStorageThatIsLate() {
        remote.lackRightOfProbes();
        remote.hold(Duration.ofMillis(1));
        for (int i = 0; i < MANY; i++) {
            assertThat(take("key" + i, 1).onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(remote.asked).hasValue(MANY);
        assertThat(changes).isEmpty();
    }

    /** A probe that the node does not allow has not shown that it can be written. */
    @Test
    void probesWithoutARightDoNotHideThatNothingCanBeWritten() {
        remote.lackRightOfProbes();
        remote.beReadOnly();
        for (int i = 0; i < MANY && changes.isEmpty(); i++) {
            var unused = take("key" + i, 1);
            storage.cleanUp();
        }
        assertThat(changes).containsExactly("lost ");
    }

    @Test
    void anAnswerCountsHoweverSoonItIsThere() {
        remote.answerAtOnce();
        take("key", 1);
        var unused = storage.decideAsync(List.of(rule.charge("key"))).join();
        assertThat(outcomes).containsExactly(Outcome.OK, Outcome.OK);
    }

    @Test
    void aKnownAnswerSaysNothingAboutTheStorage() {
        remote.know(remote.shared.decide(List.of(rule.charge("key"))));
        assertThat(take("key", 1).permitted()).isTrue();
        assertThat(storage.decideAsync(List.of(rule.charge("key"))).join().permitted())
                .isTrue();
        assertThat(outcomes).isEmpty();
        assertThat(questions).isEmpty();
        assertThat(remote.asked).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aQuestionIsToldFromItsBeginningToItsEnd(boolean blocking) {
        remote.hold(Duration.ofSeconds(60));
        CompletableFuture<Decision> answer = blocking
                ? CompletableFuture.supplyAsync(() -> take("key", 1))
                : storage.decideAsync(List.of(rule.charge("key")));
        await(() -> !questions.isEmpty());
        assertThat(questions).containsExactly("rule");
        remote.answerAll();
        answer.join();
        assertThat(questions).containsExactly("rule", "rule OK");

        remote.fail("");
        var unused = blocking
                ? take("key", 1)
                : storage.decideAsync(List.of(rule.charge("key"))).join();
        assertThat(questions).containsExactly("rule", "rule OK", "rule", "rule ERROR");

        questions.clear();
        untilLost("");
        int before = questions.size();
        take("key", 1);
        assertThat(questions).as("nobody is asked").hasSize(before);
    }

    @Test
    void memoryGoesOnWithWhatWasLeft() {
        take("key", 4);
        remote.fail("");
        assertThat(take("key", 6).onFailure()).contains(OnFailure.LOCAL);
        assertThat(take("key", 1).permitted()).isFalse();
        assertThat(outcomes).containsExactly(Outcome.OK, Outcome.ERROR, Outcome.ERROR);
    }

    @Test
    void aDecisionInMemoryTellsWhatIsLeft() {
        take("key", 4);
        remote.fail("");
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(6);
        Decision granted = take("key", 2);
        assertThat(granted.remaining()).isEqualTo(4);
        assertThat(granted.limits()).extracting(LimitStatus::remaining).containsExactly(4L);
        granted.giveBack();
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(6);
        assertThat(take("key", 6).remaining()).isZero();
    }

    @Test
    void aShareOfWhatIsLeftIsTold() {
        remote.instances(2);
        take("key", 4);
        remote.fail("");
        assertThat(take("key", 1).remaining()).isEqualTo(2);
    }

    @Test
    void ofSeveralLimitsTheOneWithTheLeastLeftIsTold() {
        Rule both = Rule.of(
                "both",
                Limit.fixedWindow(10, HOUR).startingWithFirst().named("hour"),
                Limit.fixedWindow(8, HOUR.multipliedBy(24)).startingWithFirst().named("day"));
        var unused = storage.decide(List.of(both.charge("key", 3)));
        remote.fail("");
        Decision granted = storage.decide(List.of(both.charge("key", 1)));
        assertThat(granted.limits()).extracting(LimitStatus::remaining).containsExactly(6L, 4L);
        assertThat(granted.limit().name()).isEqualTo("day");
        assertThat(granted.remaining()).isEqualTo(4);
    }

    @Test
    void aBucketTellsWhatHasFlownSince() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, Duration.ofSeconds(10)));
        var unused = storage.decide(List.of(bucket.charge("key", 8)));
        remote.fail("");
        assertThat(storage.decide(List.of(bucket.charge("key", 1))).remaining()).isEqualTo(1);
        time.advance(Duration.ofSeconds(3));
        assertThat(storage.peek(bucket, "key").remaining()).isEqualTo(4);
        time.advance(Duration.ofSeconds(10));
        assertThat(storage.peek(bucket, "key").remaining()).isEqualTo(10);
    }

    @Test
    void aConcurrencyLimitTellsWhatIsFree() {
        Rule held = Rule.of("held", Limit.concurrency(5));
        try (Decision inRedis = storage.decide(List.of(held.charge("key", 2)))) {
            remote.fail("");
            try (Decision inMemory = storage.decide(List.of(held.charge("key", 1)))) {
                assertThat(inRedis.remaining()).isEqualTo(3);
                assertThat(inMemory.remaining()).isEqualTo(2);
            }
            assertThat(storage.peek(held, "key").remaining()).isEqualTo(3);
        }
    }

    @Test
    void aRefusalInMemoryTellsWhichLimitRefused() {
        Rule both = Rule.of(
                "both",
                Limit.slidingWindowLog(2, HOUR).named("small"),
                Limit.slidingWindowLog(1000, HOUR.multipliedBy(24)).named("large"));
        remote.instances(2);
        var unused = storage.decide(List.of(both.charge("key", 2)));
        remote.fail("");
        time.advance(Duration.ofSeconds(1));
        for (Decision refusal : List.of(storage.decide(List.of(both.charge("key", 1))), storage.peek(both, "key"))) {
            LimitStatus small = refusal.limits().get(0);
            LimitStatus large = refusal.limits().get(1);
            assertThat(refusal.permitted()).isFalse();
            assertThat(refusal.onFailure()).contains(OnFailure.LOCAL);
            assertThat(refusal.limit().name()).isEqualTo("small");
            assertThat(small.permitted()).isFalse();
            assertThat(small.remaining()).isZero();
            assertThat(small.retryAfter()).contains(HOUR.minusSeconds(1));
            assertThat(large.permitted()).isTrue();
            assertThat(large.remaining()).isEqualTo(499);
            assertThat(large.retryAfter()).isEmpty();
            assertThat(large.resetAfter()).isEqualTo(HOUR.multipliedBy(24).minusSeconds(1));
        }
    }

    @Test
    void aRefusalOfTooManyPermitsTellsWhatIsLeft() {
        remote.instances(2);
        take("key", 5);
        remote.fail("");
        assertThat(take("key", 5).permitted()).isFalse();
        assertThat(take("key", 5).remaining()).isEqualTo(2);
        assertThat(take("key", 2).permitted()).isTrue();
    }

    @Test
    void aRefusalInMemoryLastsUntilNothingRefusesAnyMore() {
        Rule log = Rule.of("log", Limit.slidingWindowLog(2, Duration.ofSeconds(6)));
        remote.instances(2);
        var unused = storage.decide(List.of(log.charge("key", 1)));
        time.advance(Duration.ofSeconds(3));
        remote.fail("");
        assertThat(storage.decide(List.of(log.charge("key", 1))).permitted()).isTrue();
        assertThat(storage.decide(List.of(log.charge("key", 1))).retryAfter()).contains(Duration.ofSeconds(6));
        time.advance(Duration.ofSeconds(6));
        assertThat(storage.decide(List.of(log.charge("key", 1))).permitted()).isTrue();
    }

    @Test
    void eachInstanceGrantsItsShare() {
        remote.instances(5);
        remote.fail("");
        assertThat(storage.instances()).isEqualTo(5);
        assertThat(take("key", 2).permitted()).isTrue();
        assertThat(take("key", 1).permitted()).isFalse();
    }

    /** Half of five is two, by which half of the burst refills in more than the longest window. */
    @Test
    void aShareOfABurstThatTakesAsLongAsAnyMayIsABurst() {
        remote.instances(2);
        Rule slow = Rule.of("slow", Limit.tokenBucket(5, Duration.ofDays(1)).burst(18_000));
        Rule paced = Rule.of(
                "paced", Limit.leakyBucket(5, Duration.ofDays(1)).burst(18_000).paced());
        remote.fail("");
        Decision decision = storage.decide(List.of(slow.charge("key"), paced.charge("key")));
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
    }

    @ParameterizedTest
    @EnumSource(
            value = OnFailure.class,
            names = {"ALLOW", "DENY"})
    void allIsPermittedOrRefusedIfTheRuleSaysSo(OnFailure how) {
        storage = storage(how);
        remote.fail("");
        for (int i = 0; i < MANY; i++) {
            Decision decision = take("key", 1);
            assertThat(decision.permitted()).isEqualTo(how == OnFailure.ALLOW);
            assertThat(decision.onFailure()).contains(how);
        }
    }

    @Test
    void isAskedNoLongerWhileItFails() {
        remote.fail("");
        untilLost("");
        int before = remote.asked.get();
        for (int i = 0; i < MANY; i++) {
            take("key" + i, 1);
        }
        assertThat(remote.asked).hasValue(before);
        assertThat(storage.isAvailable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJvmThatStandsStillGivesUpNoStorage(boolean blocking) {
        remote.standStill();
        for (int i = 0; i < MANY; i++) {
            Decision decision = blocking
                    ? take("key" + i, 1)
                    : storage.decideAsync(List.of(rule.charge("key" + i))).join();
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(outcomes).hasSize(MANY).containsOnly(Outcome.TIMEOUT);
        assertThat(remote.asked).hasValue(MANY);
        assertThat(changes).isEmpty();
        assertThat(storage.isAvailable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderThatIsLateIsAwaited(boolean blocking) {
        remote.hold(LONG);
        remote.whenAsked(asked -> time.advance(LONG));
        remote.whenLate(remote::answerAll);
        Decision decision = blocking
                ? take("key", 1)
                : storage.decideAsync(List.of(rule.charge("key"))).join();
        assertThat(decision.onFailure()).isEmpty();
        assertThat(outcomes).containsExactly(Outcome.OK);
    }

    /** Answers are late, but not those of probes. */
    @Test
    void requestsWithoutAnAnswerGiveUpNoStorageThatAnswersProbes() {
        remote.hold(Duration.ofMillis(1));
        for (int i = 0; i < MANY; i++) {
            assertThat(take("key" + i, 1).onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(remote.asked).hasValue(MANY);
        assertThat(changes).isEmpty();
    }

    /** It may do what it is told all the same, such as renew what is held. */
    @Test
    void isCleanedUpAlsoWhileItIsNotAsked() {
        remote.fail("");
        untilLost("");
        int before = remote.cleanUps.get();
        storage.cleanUp();
        assertThat(storage.isAvailable()).isFalse();
        assertThat(remote.cleanUps).hasValue(before + 1);
    }

    @Test
    void aStorageThatAnswersNoProbeIsGivenUpHoweverLateThisJvmIs() {
        remote.standStill();
        remote.fail("");
        untilLost("");
        assertThat(storage.isAvailable()).isFalse();
    }

    @Test
    void isChargedOnceItWorksAgainWithWhatWasGrantedMeanwhile() {
        take("key", 1);
        remote.fail("");
        untilLost("");
        assertThat(take("key", 5).onFailure()).contains(OnFailure.LOCAL);
        remote.work("");
        await(storage::isAvailable);
        assertThat(changes).containsExactly("lost ", "found ");
        await(() -> remote.shared.peek(rule, "key").remaining() == 4);
        assertThat(take("key", 4).onFailure()).isEmpty();
        assertThat(take("key", 1).permitted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoHearsOfAReleaseInMemoryCanHaveThePermit(boolean closed) {
        Rule pool = Rule.of("pool", Limit.concurrency(1));
        storage.decide(List.of(pool.charge("key", 0)));
        remote.fail("");
        Decision held = storage.decide(List.of(pool.charge("key")));
        assertThat(held.onFailure()).contains(OnFailure.LOCAL);
        List<Boolean> next = new CopyOnWriteArrayList<>();
        storage.onRelease((rule, key) ->
                next.add(storage.decide(List.of(pool.charge("key"))).permitted()));
        if (closed) {
            held.close();
        } else {
            held.giveBack();
        }
        assertThat(next).containsExactly(true);
    }

    @Test
    void turnsOfTheStorageTakeNothingOfOtherLimitsInMemory() {
        Rule paced = Rule.of(
                "paced",
                Limit.concurrency(6).named("flight"),
                Limit.fixedWindow(20, HOUR).named("hourly"),
                Limit.leakyBucket(10, Duration.ofSeconds(1)).paced().named("pace"));
        for (int i = 0; i < 4; i++) {
            storage.decide(List.of(paced.charge("key").within(LONG))).close();
        }
        remote.fail("");
        Decision granted = storage.decide(List.of(paced.charge("key").within(LONG)));
        assertThat(granted.onFailure()).contains(OnFailure.LOCAL);
        assertThat(granted.delay()).isEqualTo(Duration.ofMillis(400));
        granted.close();
        assertThat(local.peek(paced, "key").limits())
                .extracting(LimitStatus::remaining)
                .startsWith(6L, 19L);
    }

    /** Turns to come are charged, behind those of other instances, and those that are over are not. */
    @Test
    void aPacedBucketGoesOnAtItsPaceWhenTheStorageWorksAgain() {
        Limit limit = Limit.leakyBucket(10, Duration.ofSeconds(1)).burst(100).paced();
        Rule paced = Rule.of("paced", limit);
        remote.fail("");
        for (int i = 0; i < 4; i++) {
            Decision granted = storage.decide(List.of(paced.charge("key", 10).within(LONG)));
            assertThat(granted.onFailure()).contains(OnFailure.LOCAL);
            time.advance(Duration.ofMillis(900));
        }
        remote.work("");
        assertThat(remote.shared.decide(List.of(paced.charge("key"))).permitted())
                .isTrue();

        Decision next = storage.decide(List.of(paced.charge("key").within(LONG)));
        assertThat(next.onFailure()).isEmpty();
        assertThat(next.delay()).isEqualTo(Duration.ofMillis(500));
    }

    /** Other instances take each permit that comes free: without a place among them the debt would never be charged. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void requestsThatWaitAreServedAgainOnceTheirDebtHasLeaked(boolean later) {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, Duration.ofSeconds(10)));
        Charge waits = bucket.charge("key").within(Duration.ofSeconds(5));
        remote.answerAtOnce();
        remote.fail("");
        for (int i = 0; i < 4; i++) {
            assertThat(decide(later, waits).onFailure()).contains(OnFailure.LOCAL);
        }
        remote.work("");
        takeTurns(waits);

        List<Duration> served = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            for (int caller = 0; caller < 3; caller++) {
                Decision decision = decide(later, waits);
                if (decision.permitted()) {
                    assertThat(decision.onFailure()).isEmpty();
                    served.add(Duration.ofMillis(100).multipliedBy(i));
                }
            }
            takeTurns(waits);
            time.advance(Duration.ofMillis(100));
        }
        assertThat(served).hasSizeGreaterThanOrEqualTo(12).first().matches(at -> at.toSeconds() <= 6);
    }

    /** Other instances take all turns that there are. */
    private void takeTurns(Charge waits) {
        for (int i = 0; i < 100 && remote.shared.decide(List.of(waits)).permitted(); i++) {}
        assertThat(remote.shared.decide(List.of(waits)).permitted()).isFalse();
    }

    @Test
    void aDebtIsChargedForARequestThatWaitsHoweverLongItTakes() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, Duration.ofSeconds(10)));
        Charge waits = bucket.charge("key").within(Duration.ofSeconds(Long.MAX_VALUE));
        remote.fail("");
        assertThat(storage.decide(List.of(waits)).onFailure()).contains(OnFailure.LOCAL);
        remote.work("");
        remote.shared.decide(List.of(bucket.charge("key", 10)));
        assertThat(storage.decide(List.of(waits)).delay()).isEqualTo(Duration.ofSeconds(2));
    }

    /** A turn that has to be given back is not asked for: those behind it would not always move up. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noTurnIsAskedForWhileThereIsNoRoomForTheDebt(boolean later) {
        Charge waits = rule.charge("key").within(HOUR.multipliedBy(2));
        remote.answerAtOnce();
        take("key", 4);
        remote.fail("");
        assertThat(take("key", 3).onFailure()).contains(OnFailure.LOCAL);
        remote.work("");
        remote.shared.decide(List.of(rule.charge("key", 6)));
        List<Duration> asked = new CopyOnWriteArrayList<>();
        remote.whenAsked(charges -> asked.add(charges.get(0).maxWait()));

        Decision refused = decide(later, waits);
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.onFailure()).isEmpty();
        assertThat(asked).isNotEmpty().containsOnly(Duration.ZERO);
        time.advance(refused.retryAfter().orElseThrow());
        assertThat(decide(later, waits).onFailure()).isEmpty();
    }

    @Test
    void connectsAnewAfterSomeProbesThatFailed() {
        remote.fail("");
        untilLost("");
        await(() -> remote.connections.get() > 0);
        assertThat(storage.isAvailable()).isFalse();
    }

    @Test
    void oneBrokenStateFailsNoOther() {
        remote.breakState("broken");
        for (int i = 0; i < MANY; i++) {
            storage.decide(List.of(rule.charge("broken"), other.charge("well")));
        }
        assertThat(storage.isAvailable()).isTrue();
        assertThat(outcomes).contains(Outcome.BROKEN_STATE);
        // ten together with the broken one, which memory refuses after that
        assertThat(remote.shared.peek(other, "well").remaining()).isEqualTo(MANY - 10);
        assertThat(take("broken", 1).permitted()).isFalse();
    }

    @Test
    void anAnswerThatIsLateIsGivenBack() {
        remote.hold(Duration.ofMillis(1));
        Decision decision = take("key", 3);
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        assertThat(decision.permitted()).isTrue();
        assertThat(outcomes).containsExactly(Outcome.TIMEOUT);
        decision.giveBack();
        remote.answerAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    /** So that the storage may leave it out. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnswerThatIsLateIsNotWantedAnyMoreWhereMemoryRefuses(boolean later) {
        storage = storage(OnFailure.DENY);
        remote.hold(Duration.ofMillis(1));
        assertThat(decide(later, rule.charge("key", 3)).permitted()).isFalse();
        remote.answerAll();
        assertThat(remote.cancelled).hasValue(1);
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLateGrantPaysForTheOneInMemory(boolean later) {
        remote.hold(BRIEF);
        Decision first = decide(later, rule.charge("key", 3));
        assertThat(decide(later, rule.charge("key", 2)).onFailure()).contains(OnFailure.LOCAL);
        int asked = remote.asked.get();
        remote.hold(LONG);
        remote.answerAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(5);

        Decision next = decide(later, rule.charge("key"));
        assertThat(next.onFailure()).isEmpty();
        assertThat(next.remaining()).isEqualTo(4);
        assertThat(remote.asked).hasValue(asked + 1);
        first.giveBack();
        first.giveBack();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLateGrantIsHeldUntilTheOneInMemoryIsReleased(boolean later) {
        Rule pool = Rule.of(
                "pool",
                Limit.concurrency(5).named("flight"),
                Limit.fixedWindow(10, HOUR).named("hourly"));
        remote.hold(BRIEF);
        Decision held = decide(later, pool.charge("key", 2));
        Decision released = decide(later, pool.charge("key", 2));
        released.close();
        // what was released in memory can be had again, before the storage has answered
        Decision again = decide(later, pool.charge("key", 3));
        assertThat(again.permitted()).isTrue();
        again.giveBack();
        remote.hold(LONG);
        remote.answerAll();
        assertThat(remote.shared.peek(pool, "key").limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(3L, 6L);
        held.close();
        assertThat(remote.shared.peek(pool, "key").limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(5L, 6L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatALateRefusalDoesNotPayForIsOwed(boolean later) {
        remote.hold(BRIEF);
        assertThat(decide(later, rule.charge("key", 3)).permitted()).isTrue();
        assertThat(remote.shared.decide(List.of(rule.charge("key", 8))).permitted())
                .isTrue();
        remote.hold(LONG);
        remote.answerAll();
        assertThat(decide(later, rule.charge("key")).permitted()).isFalse();
        assertThat(remote.shared.peek(rule, "key").remaining()).isZero();
    }

    static Stream<Limit> ofTwo() {
        return Stream.of(Limit.concurrency(2), Limit.fixedWindow(2, HOUR).startingWithFirst());
    }

    /** The storage has made the answer before that. */
    @ParameterizedTest
    @MethodSource("ofTwo")
    void whatIsGivenBackCanBeHadWhateverALateAnswerSays(Limit limit) {
        Rule pool = Rule.of("pool", limit);
        Decision all = storage.decide(List.of(pool.charge("key", 2)));
        time.advance(Duration.ofMillis(1));
        remote.hold(Duration.ofMillis(1));
        remote.notHearOfCancellation();
        assertThat(storage.decide(List.of(pool.charge("key"))).permitted()).isFalse();
        all.giveBack();
        remote.answerAll();
        assertLeft(pool, 2);
    }

    /** The storage has granted the last before the first is given back. */
    @ParameterizedTest
    @MethodSource("ofTwo")
    void lateGrantsThatNobodyWantsCanBeHad(Limit limit) {
        Rule pool = Rule.of("pool", limit);
        Decision elsewhere = remote.shared.decide(List.of(pool.charge("key", 2)));
        assertThat(storage.decide(List.of(pool.charge("key"))).permitted()).isFalse();
        time.advance(Duration.ofMillis(1));
        remote.hold(Duration.ofMillis(1));
        remote.notHearOfCancellation();
        for (int i = 0; i < 2; i++) {
            assertThat(storage.decide(List.of(pool.charge("key"))).permitted()).isFalse();
        }
        elsewhere.giveBack();
        remote.answerAll();
        assertLeft(pool, 2);
    }

    @ParameterizedTest
    @MethodSource("ofTwo")
    void whatIsGivenBackIsHadOnceWhereALaterAnswerTakesAccountOfIt(Limit limit) {
        Rule pool = Rule.of("pool", limit);
        storage.decide(List.of(pool.charge("key", 2))).giveBack();
        time.advance(Duration.ofMillis(1));
        assertThat(storage.decide(List.of(pool.charge("key"))).permitted()).isTrue();
        assertLeft(pool, 1);
    }

    /** In the storage, and in memory when that fails. */
    private void assertLeft(Rule pool, int permits) {
        assertThat(remote.shared.peek(pool, "key").remaining()).isEqualTo(permits);
        remote.fail("");
        for (int i = 0; i <= permits; i++) {
            Decision decision = storage.decide(List.of(pool.charge("key")));
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
            assertThat(decision.permitted()).isEqualTo(i < permits);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachChargeIsPaidForByItsPartOfALateGrant(boolean later) {
        remote.hold(BRIEF);
        List<Charge> both = List.of(rule.charge("key", 3), other.charge("key", 4));
        Decision decision = later ? storage.decideAsync(both).join() : storage.decide(both);
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        remote.answerAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(7);
        assertThat(remote.shared.peek(other, "key").remaining()).isEqualTo(MANY - 4);
        decision.giveBack();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
        assertThat(remote.shared.peek(other, "key").remaining()).isEqualTo(MANY);
    }

    /** The storage tells of each charge what it would have answered to that alone. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLateRefusalPaysForNoneOfItsCharges(boolean later) {
        remote.hold(BRIEF);
        assertThat(decide(later, rule.charge("key", 3), other.charge("key", 4)).permitted())
                .isTrue();
        assertThat(remote.shared.decide(List.of(rule.charge("key", 8))).permitted())
                .isTrue();
        remote.hold(LONG);
        remote.answerAll();
        assertThat(decide(later, other.charge("key")).remaining()).isEqualTo(MANY - 5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnswerThatNeverComesIsNotAwaitedForEver(boolean later) {
        remote.hold(Duration.ofMillis(1));
        assertThat(decide(later, rule.charge("key", 3)).onFailure()).contains(OnFailure.LOCAL);
        remote.loseAll(LONG);
        await(() -> remote.shared.peek(rule, "key").remaining() == 7);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingStaysReservedWhereMemoryFails(boolean later) {
        FailingMemory memory = new FailingMemory();
        storage = storage(memory, OnFailure.LOCAL);
        remote.fail("");
        assertThatThrownBy(() -> decide(later, rule.charge("key", 3))).hasMessage("Memory fails");
        memory.failing = false;
        remote.work("");
        for (int i = 0; i < 10; i++) {
            Decision decision = decide(later, rule.charge("key"));
            assertThat(decision.onFailure()).isEmpty();
            assertThat(decision.permitted()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOtherNodesHaveGrantedIsGivenBackWhereMemoryFails(boolean later) {
        remote.cluster();
        storage = storage(new FailingMemory(), OnFailure.LOCAL);
        remote.fail("b");
        assertThatThrownBy(() -> decide(later, other.charge("a:key", 4), rule.charge("b:key", 3)))
                .hasMessage("Memory fails");
        assertThat(remote.shared.peek(other, "a:key").remaining()).isEqualTo(MANY);
    }

    @Test
    void aLateGrantThatComesAfterAResetIsGivenBack() {
        remote.hold(Duration.ofMillis(1));
        assertThat(take("key", 3).onFailure()).contains(OnFailure.LOCAL);
        storage.reset(rule, "key");
        remote.answerAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void aRequestWhoseTimeIsUpBeforeADebtIsSettledAsksForNothing() {
        grantInMemory(rule, "key", 3);
        remote.hold(LONG);
        remote.work("");
        await(() -> storage.isAvailable());
        // both debts are settled, one after the other
        await(() -> remote.isHolding("key") && remote.isHolding(":lost"));
        remote.hold(Duration.ofMillis(1));
        assertThat(decide(true, rule.charge("key")).onFailure()).contains(OnFailure.LOCAL);
        int asked = remote.asked.get();
        remote.answerAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(7);
        assertThat(remote.asked).hasValue(asked);
    }

    @Test
    void aCallerThatDoesNotWaitIsAnsweredLater() {
        remote.hold(Duration.ofSeconds(60));
        CompletableFuture<Decision> answer = storage.decideAsync(List.of(rule.charge("key", 3)));
        assertThat(answer).isNotDone();
        remote.answerAll();
        assertThat(answer.join().onFailure()).isEmpty();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(7);
    }

    @Test
    void aNodeFailsAlone() {
        remote.cluster();
        remote.fail("a");
        untilLost("a");
        assertThat(storage.isAvailable()).isFalse();
        assertThat(take("a:key", 1).onFailure()).contains(OnFailure.LOCAL);
        assertThat(take("b:key", 1).onFailure()).isEmpty();
        Decision both = storage.decide(List.of(rule.charge("a:key", 9), other.charge("b:key", 2)));
        assertThat(both.permitted()).isTrue();
        assertThat(remote.shared.peek(other, "b:key").remaining()).isEqualTo(MANY - 2);
        // memory has none left of the first, so the second is given back
        assertThat(storage.decide(List.of(rule.charge("a:key"), other.charge("b:key")))
                        .permitted())
                .isFalse();
        assertThat(remote.shared.peek(other, "b:key").remaining()).isEqualTo(MANY - 2);
    }

    @Test
    void looksInMemoryWhileItFails() {
        take("key", 4);
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(6);
        remote.fail("");
        assertThat(storage.peek(rule, "key").onFailure()).contains(OnFailure.LOCAL);
    }

    @Test
    void saysGoodbyeWhenClosed() {
        storage.close();
        assertThat(remote.goodbyes).hasValue(1);
    }

    @Test
    void aResetThatFailsResetsNothing() {
        assertThat(take("key", 4).permitted()).isTrue();
        remote.fail("");
        assertThat(take("key", 6).onFailure()).contains(OnFailure.LOCAL);
        assertThatThrownBy(() -> storage.reset(rule, "key")).isInstanceOf(StorageUnavailableException.class);
        assertThat(take("key", 1).permitted()).isFalse();
        remote.work("");
        await(() -> {
            storage.cleanUp();
            return storage.isAvailable();
        });
        await(() -> remote.shared.peek(rule, "key").remaining() == 0);
        storage.reset(rule, "key");
        // what is granted as soon as the key is reset is not reset again
        assertThat(remote.resets).hasValue(1);
        assertThat(take("key", 10).permitted()).isTrue();
    }

    /** The settlement that a reset awaits may end the debt of the key. */
    @Test
    void aKeyIsSettledAfterAResetThatFailed() throws InterruptedException {
        grantInMemory(rule, "key", 6);
        remote.hold(Duration.ofSeconds(60));
        remote.work("");
        storage.cleanUp();
        await(() -> remote.isHolding("key"));
        AtomicReference<RuntimeException> failed = new AtomicReference<>();
        Thread resetting = new Thread(() -> {
            try {
                storage.reset(rule, "key");
            } catch (RuntimeException failure) {
                failed.set(failure);
            }
        });
        resetting.start();
        await(() -> resetting.getState() == Thread.State.TIMED_WAITING || resetting.getState() == Thread.State.WAITING);
        remote.failResets(true);
        remote.answerAll();
        resetting.join();
        assertThat(failed.get()).isInstanceOf(StorageUnavailableException.class);
        remote.failResets(false);
        await(() -> remote.shared.peek(rule, "key").remaining() == 4);
        grantInMemory(rule, "key", 3);
        remote.work("");
        await(() -> {
            storage.cleanUp();
            return remote.shared.peek(rule, "key").remaining() == 1;
        });
    }

    /** The node that counts instances may be another one than those that decided. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isCountedWhateverNodesItAsks(boolean idle) {
        remote.cluster();
        storage.cleanUp();
        remote.hellos.clear();
        if (!idle) {
            remote.fail("a");
            untilLost("a");
            remote.hellos.clear();
        }
        storage.cleanUp();
        assertThat(remote.hellos).isNotEmpty();
        storage.close();
        assertThat(remote.goodbyes).hasValue(1);
    }

    /** The second question has what the first one left of the budget, which is nothing: with a budget of its own it takes twenty seconds. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(10)
    void aRequestThatIsAskedForTwiceHasOneBudget(boolean later) {
        remote.hold(LONG);
        remote.answerAll();
        remote.answerAtOnce();
        remote.breakState("broken");
        remote.whenAsked(asked -> {
            if (remote.asked.get() == 1) {
                time.advance(LONG);
            } else {
                remote.hold(LONG);
            }
        });
        List<Charge> charges = List.of(rule.charge("broken"), other.charge("sound"));
        Decision decision = later ? storage.decideAsync(charges).join() : storage.decide(charges);
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        assertThat(remote.asked).hasValue(3);
    }

    /** An exception of the caller's, however the storage tells it, says nothing about the storage. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aRuleThatCannotBeCountedFailsNoOther(boolean later, boolean thrown) {
        if (thrown) {
            remote.whenAsked(charges -> {
                throw new IllegalArgumentException("The rule cannot be counted");
            });
        } else {
            remote.refuse(rule);
        }
        for (int i = 0; i < MANY; i++) {
            assertThatThrownBy(() -> decide(later, rule.charge("key")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The rule cannot be counted");
        }
        assertThat(storage.isAvailable()).isTrue();
        assertThat(outcomes).isEmpty();
        assertThat(questions).hasSize(2 * MANY).containsOnly("rule", "rule ERROR");
        assertThat(local.size()).isZero();
    }

    private Decision decide(boolean later, Charge... charges) {
        if (!later) {
            return storage.decide(List.of(charges));
        }
        CompletableFuture<Decision> answer = storage.decideAsync(List.of(charges));
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOtherNodesHaveGrantedIsGivenBackWhereARuleCannotBeCounted(boolean later) {
        remote.cluster();
        remote.refuse(rule);
        assertThatThrownBy(() -> decide(later, other.charge("a:key"), rule.charge("b:key")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(remote.shared.peek(other, "a:key").remaining()).isEqualTo(MANY);
    }

    @Test
    void anExceptionThatIsThrownIsAFailureOfTheStorage() {
        remote.whenAsked(charges -> {
            throw new IllegalStateException("The client is closed");
        });
        assertThat(take("key", 1).onFailure()).contains(OnFailure.LOCAL);
        assertThat(outcomes).containsExactly(Outcome.ERROR);
    }

    @Test
    void aSettlementThatThrowsIsTriedAgain() {
        grantInMemory(rule, "key", 3);
        AtomicInteger thrown = new AtomicInteger();
        remote.whenAsked(charges -> {
            if (thrown.getAndIncrement() < 2) {
                throw new IllegalStateException("The client is closed");
            }
        });
        remote.work("");
        await(() -> remote.shared.peek(rule, "key").remaining() == 7);
        assertThat(thrown).hasValueGreaterThan(2);
    }

    @Test
    void aLimitIsChargedOnceThoughTheSettlementOfAnotherOneFailed() {
        Limit hourly = Limit.fixedWindow(10, HOUR).startingWithFirst().named("hourly");
        Limit daily = Limit.fixedWindow(20, Duration.ofDays(1)).named("daily");
        grantInMemory(Rule.of("two", hourly, daily), "key", 3);
        AtomicInteger thrown = new AtomicInteger();
        List<String> charged = new CopyOnWriteArrayList<>();
        remote.whenAsked(charges -> {
            String limit = charges.get(0).permits(0) > 0 ? "hourly" : "daily";
            if (limit.equals("daily") && thrown.getAndIncrement() < 2) {
                throw new IllegalStateException("The client is closed");
            }
            charged.add(charges.get(0).permits() + " " + limit);
        });
        remote.work("");
        await(() -> charged.contains("3 daily"));
        assertThat(charged).containsOnlyOnce("3 hourly", "3 daily");
    }

    @Test
    void whatIsGivenBackAfterASettlementThatFailedIsNotCharged() {
        // memory goes on counting what is settled
        grantInMemory(rule, "key", 3);
        remote.work("");
        await(() -> remote.shared.peek(rule, "key").remaining() == 7 && storage.isAvailable());
        remote.fail("");
        Decision memory = storage.decide(List.of(rule.charge("key", 3)));
        assertThat(memory.onFailure()).contains(OnFailure.LOCAL);
        // this decision asks for the settlement first
        assertThat(take("key", 1).onFailure()).contains(OnFailure.LOCAL);
        memory.giveBack();
        remote.work("");
        assertThat(take("key", 1).onFailure()).isEmpty();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(5);
    }

    /** Debts that nothing can be charged for do not stand before others, however large they are. */
    @Test
    void debtsOfARuleThatCannotBeCountedAreDropped() {
        for (int i = 0; i < 100; i++) {
            grantInMemory(other, "key" + i, MANY);
        }
        grantInMemory(rule, "key", 3);
        remote.refuse(other);
        remote.work("");
        await(() -> remote.shared.peek(rule, "key").remaining() == 7);
        assertThatThrownBy(() -> decide(false, other.charge("key1"))).isInstanceOf(IllegalArgumentException.class);
    }

    private void grantInMemory(Rule rule, String key, long permits) {
        remote.fail("");
        untilLost("");
        assertThat(storage.decide(List.of(rule.charge(key, permits))).permitted())
                .isTrue();
    }
}
