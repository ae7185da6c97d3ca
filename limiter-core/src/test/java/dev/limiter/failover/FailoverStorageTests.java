package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failover of a storage of a few lines of Java works as in Redis. */
class FailoverStorageTests implements StorageListener {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final Duration LONG = Duration.ofSeconds(20);

    /** More failures in a row than a breaker allows. */
    private static final int MANY = 20;

    private final VirtualTime time = new VirtualTime();
    private final ScriptedStorage remote = new ScriptedStorage(time);
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final List<String> missingRights = new CopyOnWriteArrayList<>();
    private final List<String> brokenStates = new CopyOnWriteArrayList<>();
    private final List<String> callEvents = new CopyOnWriteArrayList<>();
    private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
    private final Rule rule = Rule.of("rule", Limit.fixedWindow(10, HOUR).alignFirst());
    private final Rule other = Rule.of("other", Limit.fixedWindow(MANY, HOUR).alignFirst());
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

    @Override
    public void asked(Outcome outcome, Duration took) {
        outcomes.add(outcome);
    }

    @Override
    public Consumer<Outcome> asking(List<Charge> charges) {
        String rules = charges.stream().map(charge -> charge.rule().name()).collect(Collectors.joining(","));
        callEvents.add(rules);
        return outcome -> callEvents.add(rules + " " + outcome);
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
    public void broken(String message) {
        brokenStates.add(message);
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

    /** Probes follow each other after a moment of real time. */
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
    void rejectionsDoNotHideAReadOnlyNode() {
        take("spent", 10);
        remote.makeReadOnly();
        for (int i = 0; i < MANY && changes.isEmpty(); i++) {
            var unused = take("key" + i, 1);
            for (int rejected = 0; rejected < 9 && changes.isEmpty(); rejected++) {
                assertThat(take("spent", 1).permitted()).isFalse();
            }
        }
        assertThat(changes).containsExactly("lost ");
    }

    /** A node that denies a permission replies, also without requests. */
    @Test
    void probesWithoutPermissionOpenNoBreaker() {
        remote.denyProbes();
        for (int i = 0; i < MANY; i++) {
            time.advance(Duration.ofSeconds(1));
            storage.cleanUp();
        }
        assertThat(changes).isEmpty();
        assertThat(missingRights).hasSize(MANY).containsOnly("The user may not write");
        assertThat(take("key", 1).onFailure()).isEmpty();
    }

    @Test
    void breakerClosesEvenIfProbesLackAPermission() {
        remote.fail("");
        untilLost("");
        remote.denyProbes();
        remote.recover("");
        await(storage::isAvailable);
        assertThat(changes).containsExactly("lost ", "found ");
        assertThat(missingRights).isNotEmpty();
    }

    /** A probe that the node denies does not prove that the node accepts writes. */
    @Test
    void probesWithoutPermissionDoNotHideAReadOnlyNode() {
        remote.denyProbes();
        remote.makeReadOnly();
        for (int i = 0; i < MANY && changes.isEmpty(); i++) {
            var unused = take("key" + i, 1);
            storage.cleanUp();
        }
        assertThat(changes).containsExactly("lost ");
    }

    @Test
    void aDecisionWithoutACallDoesNotAffectTheBreaker() {
        remote.decideWithoutCall(remote.shared.decide(List.of(rule.charge("key"))));
        assertThat(take("key", 1).permitted()).isTrue();
        assertThat(storage.decideAsync(List.of(rule.charge("key"))).join().permitted())
                .isTrue();
        assertThat(outcomes).isEmpty();
        assertThat(callEvents).isEmpty();
        assertThat(remote.calls).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenerReceivesBeginningAndEndOfACall(boolean blocking) {
        remote.withhold(Duration.ofSeconds(60));
        CompletableFuture<Decision> answer = blocking
                ? CompletableFuture.supplyAsync(() -> take("key", 1))
                : storage.decideAsync(List.of(rule.charge("key")));
        await(() -> !callEvents.isEmpty());
        assertThat(callEvents).containsExactly("rule");
        remote.replyAll();
        answer.join();
        assertThat(callEvents).containsExactly("rule", "rule OK");

        remote.fail("");
        var unused = blocking
                ? take("key", 1)
                : storage.decideAsync(List.of(rule.charge("key"))).join();
        assertThat(callEvents).containsExactly("rule", "rule OK", "rule", "rule ERROR");

        callEvents.clear();
        untilLost("");
        int before = callEvents.size();
        take("key", 1);
        assertThat(callEvents).as("no calls").hasSize(before);
    }

    /** Half of five is two, at which half of the burst refills in more than the longest window. */
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
    void allowAndDenyPermitOrRejectAll(OnFailure how) {
        storage = storage(how);
        remote.fail("");
        for (int i = 0; i < MANY; i++) {
            Decision decision = take("key", 1);
            assertThat(decision.permitted()).isEqualTo(how == OnFailure.ALLOW);
            assertThat(decision.onFailure()).contains(how);
        }
    }

    @Test
    void isNotCalledWhileItFails() {
        remote.fail("");
        untilLost("");
        int before = remote.calls.get();
        for (int i = 0; i < MANY; i++) {
            take("key" + i, 1);
        }
        assertThat(remote.calls).hasValue(before);
        assertThat(storage.isAvailable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPausedJvmOpensNoBreaker(boolean blocking) {
        remote.pauseJvm();
        for (int i = 0; i < MANY; i++) {
            Decision decision = blocking
                    ? take("key" + i, 1)
                    : storage.decideAsync(List.of(rule.charge("key" + i))).join();
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(outcomes).hasSize(MANY).containsOnly(Outcome.TIMEOUT);
        assertThat(remote.calls).hasValue(MANY);
        assertThat(changes).isEmpty();
        assertThat(storage.isAvailable()).isTrue();
    }

    /** Replies to requests are late, but those to probes are not. */
    @Test
    void lateRepliesOpenNoBreakerIfProbesSucceed() {
        remote.withhold(Duration.ofMillis(1));
        for (int i = 0; i < MANY; i++) {
            assertThat(take("key" + i, 1).onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(remote.calls).hasValue(MANY);
        assertThat(changes).isEmpty();
    }

    /** The node may still execute commands, such as renewals of held permits. */
    @Test
    void isCleanedUpWhileItIsNotCalled() {
        remote.fail("");
        untilLost("");
        int before = remote.cleanUps.get();
        storage.cleanUp();
        assertThat(storage.isAvailable()).isFalse();
        assertThat(remote.cleanUps).hasValue(before + 1);
    }

    @Test
    void failedProbesOpenTheBreakerHoweverSlowThisJvmIs() {
        remote.pauseJvm();
        remote.fail("");
        untilLost("");
        assertThat(storage.isAvailable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void permitIsAvailableWhenAReleaseInMemoryIsReported(boolean closed) {
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
    void reconnectsAfterSomeFailedProbes() {
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
        assertThat(brokenStates).isNotEmpty().containsOnly("The state is no state");
        // ten in one call with the broken state, which memory rejects after that
        assertThat(remote.shared.peek(other, "well").remaining()).isEqualTo(MANY - 10);
        assertThat(take("broken", 1).permitted()).isFalse();
    }

    /** The node that counts instances may be another one than those that decided. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isCountedWhateverNodesItCalls(boolean idle) {
        remote.cluster();
        storage.cleanUp();
        remote.heartbeats.clear();
        if (!idle) {
            remote.fail("a");
            untilLost("a");
            remote.heartbeats.clear();
        }
        storage.cleanUp();
        assertThat(remote.heartbeats).isNotEmpty();
        storage.close();
        assertThat(remote.goodbyes).hasValue(1);
    }

    /**
     * The second call gets what the first one left of the budget, which is nothing; with its own budget it would take
     * twenty seconds.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(10)
    void twoCallsForARequestShareOneBudget(boolean later) {
        remote.withhold(LONG);
        remote.replyAll();
        remote.replyAtOnce();
        remote.breakState("broken");
        remote.onCall(charges -> {
            if (remote.calls.get() == 1) {
                time.advance(LONG);
            } else {
                remote.withhold(LONG);
            }
        });
        List<Charge> charges = List.of(rule.charge("broken"), other.charge("sound"));
        Decision decision = later ? storage.decideAsync(charges).join() : storage.decide(charges);
        assertThat(decision.permitted()).isTrue();
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        assertThat(remote.calls).hasValue(3);
    }

    /** An exception caused by the caller is no failure of the storage, however it is reported. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void anUnsupportedRuleFailsNoOther(boolean later, boolean thrown) {
        if (thrown) {
            remote.onCall(charges -> {
                throw new IllegalArgumentException("The rule cannot be counted");
            });
        } else {
            remote.reject(rule);
        }
        for (int i = 0; i < MANY; i++) {
            assertThatThrownBy(() -> decide(later, rule.charge("key")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The rule cannot be counted");
        }
        assertThat(storage.isAvailable()).isTrue();
        assertThat(outcomes).isEmpty();
        assertThat(callEvents).hasSize(2 * MANY).containsOnly("rule", "rule ERROR");
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
    void grantsOfOtherNodesAreReturnedIfARuleIsUnsupported(boolean later) {
        remote.cluster();
        remote.reject(rule);
        assertThatThrownBy(() -> decide(later, other.charge("a:key"), rule.charge("b:key")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(remote.shared.peek(other, "a:key").remaining()).isEqualTo(MANY);
    }

    @Test
    void anExceptionThatIsThrownIsAFailureOfTheStorage() {
        remote.onCall(charges -> {
            throw new IllegalStateException("The client is closed");
        });
        assertThat(take("key", 1).onFailure()).contains(OnFailure.LOCAL);
        assertThat(outcomes).containsExactly(Outcome.ERROR);
    }

    @Test
    void memoryDecidesByTheWholeLimitFromAnEmptyState() {
        take("key", 4);
        remote.fail("");
        assertThat(take("key", 10).onFailure()).contains(OnFailure.LOCAL);
        assertThat(take("key", 1).permitted()).isFalse();
        assertThat(outcomes).containsExactly(Outcome.OK, Outcome.ERROR, Outcome.ERROR);
    }

    @Test
    void grantsInMemoryAreNotChargedLater() {
        take("key", 1);
        remote.fail("");
        untilLost("");
        assertThat(take("key", 5).onFailure()).contains(OnFailure.LOCAL);
        remote.recover("");
        await(storage::isAvailable);
        assertThat(changes).containsExactly("lost ", "found ");
        assertThat(take("key", 9).onFailure()).isEmpty();
        assertThat(take("key", 1).permitted()).isFalse();
    }

    /** Repeated outages do not grant repeated shares. */
    @Test
    void memoryKeepsCountingUntilItsWindowEnds() {
        for (int outage = 0; outage < 3; outage++) {
            remote.fail("");
            untilLost("");
            assertThat(take("key", 10).permitted()).isEqualTo(outage == 0);
            assertThat(take("key", 1).permitted()).isFalse();
            remote.recover("");
            await(storage::isAvailable);
            changes.clear();
        }
        remote.fail("");
        time.advance(HOUR);
        assertThat(take("key", 10).permitted()).isTrue();
    }

    @Test
    void aLocalDecisionReportsTheShare() {
        remote.instances(2);
        remote.fail("");
        Decision granted = take("key", 2);
        assertThat(granted.rule()).isEqualTo(rule);
        assertThat(granted.limit().limit()).isEqualTo(5);
        assertThat(granted.remaining()).isEqualTo(3);
        assertThat(granted.limits()).extracting(LimitStatus::remaining).containsExactly(3L);
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(3);
        granted.giveBack();
        assertThat(storage.peek(rule, "key").remaining()).isEqualTo(5);
    }

    @Test
    void eachLimitIsDividedByTheInstances() {
        Rule orders = Rule.of(
                "orders",
                Limit.tokenBucket(6, HOUR).burst(9).named("hourly"),
                Limit.fixedWindow(2, HOUR.multipliedBy(24)).named("daily"));
        remote.instances(3);
        remote.fail("");
        Decision decision = storage.decide(List.of(orders.charge("key")));
        assertThat(decision.rule()).isEqualTo(orders);
        assertThat(decision.limits())
                .extracting(LimitStatus::limit)
                .containsExactly(
                        Limit.tokenBucket(2, HOUR).burst(3).named("hourly"),
                        Limit.fixedWindow(1, HOUR.multipliedBy(24)).named("daily"));
    }

    /** The whole limit may permit it later. */
    @Test
    void aRequestThatCostsMoreThanAShareGetsARetryTime() {
        remote.instances(2);
        remote.fail("");
        Decision rejection = take("key", 6);
        assertThat(rejection.permitted()).isFalse();
        assertThat(rejection.never()).isFalse();
        assertThat(rejection.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(rejection.limits().get(0).retryAfter()).contains(Duration.ofSeconds(1));
    }

    @Test
    void aLocalRejectionReportsTheLimitThatRejected() {
        Rule both = Rule.of(
                "both",
                Limit.slidingWindowLog(2, HOUR).named("small"),
                Limit.slidingWindowLog(1000, HOUR.multipliedBy(24)).named("large"));
        remote.instances(2);
        remote.fail("");
        assertThat(storage.decide(List.of(both.charge("key"))).permitted()).isTrue();
        time.advance(Duration.ofSeconds(1));
        for (Decision rejection : List.of(storage.decide(List.of(both.charge("key"))), storage.peek(both, "key"))) {
            LimitStatus small = rejection.limits().get(0);
            LimitStatus large = rejection.limits().get(1);
            assertThat(rejection.permitted()).isFalse();
            assertThat(rejection.onFailure()).contains(OnFailure.LOCAL);
            assertThat(rejection.limit().name()).isEqualTo("small");
            assertThat(rejection.retryAfter()).contains(HOUR.minusSeconds(1));
            assertThat(small.permitted()).isFalse();
            assertThat(large.permitted()).isTrue();
            assertThat(large.remaining()).isEqualTo(499);
        }
    }

    @Test
    void permitsHeldInMemoryAreReleasedThere() {
        Rule pool = Rule.of("pool", Limit.concurrency(2));
        remote.fail("");
        Decision held = storage.decide(List.of(pool.charge("key", 2)));
        assertThat(storage.decide(List.of(pool.charge("key"))).permitted()).isFalse();
        remote.recover("");
        held.close();
        assertThat(local.peek(pool, "key").remaining()).isEqualTo(2);
        assertThat(remote.shared.peek(pool, "key").remaining()).isEqualTo(2);
    }

    /** A key stays rejected until the retry time of the storage. */
    @ParameterizedTest
    @EnumSource(OnFailure.class)
    void aKnownRejectionAppliesUnlessAllIsPermitted(OnFailure how) {
        storage = storage(how);
        take("key", 10);
        Decision rejection = take("key", 1);
        remote.reject(rejection);
        remote.fail("");
        for (int i = 0; i < MANY; i++) {
            assertThat(take("key", 1).permitted()).isEqualTo(how == OnFailure.ALLOW);
            assertThat(storage.peek(rule, "key").permitted()).isEqualTo(how == OnFailure.ALLOW);
        }
        assertThat(local.size()).isZero();
        assertThat(take("key", 1) == rejection).isEqualTo(how == OnFailure.LOCAL);
    }

    @Test
    void aDeniedChargeTakesNoPermitsOfTheOthers() {
        storage = FailoverRateLimiterStorage.builder(remote, local)
                .onFailure(of -> of.equals(rule) ? OnFailure.DENY : OnFailure.LOCAL)
                .timeSource(time)
                .build();
        remote.fail("");
        Decision both = storage.decide(List.of(other.charge("key"), rule.charge("key")));
        assertThat(both.permitted()).isFalse();
        assertThat(both.onFailure()).contains(OnFailure.DENY);
        assertThat(both.parts()).extracting(Decision::rule).containsExactly(other, rule);
        assertThat(both.parts()).extracting(Decision::permitted).containsExactly(true, false);
        assertThat(local.peek(other, "key").remaining()).isEqualTo(MANY);
        assertThat(storage.decide(List.of(rule.charge("key", 0), other.charge("key")))
                        .permitted())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLateGrantIsKeptIfMemoryHasPermitted(boolean later) {
        remote.withhold(Duration.ofMillis(1));
        Decision decision = decide(later, rule.charge("key", 3));
        assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        assertThat(decision.permitted()).isTrue();
        assertThat(outcomes).containsExactly(Outcome.TIMEOUT);
        remote.replyAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(7);
        assertThat(local.peek(rule, "key").remaining()).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void aLateGrantIsReturnedIfMemoryHasRejected(boolean later, boolean ignoresCancellation) {
        local.decide(rule, "key", 8);
        remote.withhold(Duration.ofMillis(1));
        if (ignoresCancellation) {
            remote.ignoreCancellation();
        }
        assertThat(decide(later, rule.charge("key", 3)).permitted()).isFalse();
        remote.replyAll();
        assertThat(remote.cancelled).hasValue(ignoresCancellation ? 0 : 1);
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void aGrantDuringARejectionInMemoryIsReturned() {
        local.decide(rule, "key", 8);
        storage = FailoverRateLimiterStorage.builder(remote, local)
                .onFailure(of -> {
                    remote.replyAll();
                    return OnFailure.LOCAL;
                })
                .timeSource(time)
                .build();
        remote.withhold(Duration.ofMillis(1));
        assertThat(storage.decide(rule, "key", 3).permitted()).isFalse();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void aLateConcurrencyPermitIsReturned() {
        Rule exports = Rule.of("exports", Limit.concurrency(2));
        remote.withhold(Duration.ofMillis(1));
        Decision decision = storage.decide(exports, "key", 1);
        assertThat(decision.permitted()).isTrue();
        remote.replyAll();
        assertThat(remote.shared.peek(exports, "key").remaining()).isEqualTo(2);
        decision.close();
        assertThat(local.peek(exports, "key").remaining()).isEqualTo(2);
    }

    @Test
    void aGrantIsReturnedIfTheCallerHasGone() {
        remote.withhold(LONG);
        storage.decideAsync(List.of(rule.charge("key", 3))).cancel(true);
        remote.replyAll();
        assertThat(remote.shared.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeFailsAlone(boolean later) {
        remote.cluster();
        remote.fail("a");
        untilLost("a");
        assertThat(storage.isAvailable()).isFalse();
        assertThat(take("a:key", 1).onFailure()).contains(OnFailure.LOCAL);
        assertThat(take("b:key", 1).onFailure()).isEmpty();
        Decision both = decide(later, other.charge("b:key", 2), rule.charge("a:key", 9));
        assertThat(both.permitted()).isTrue();
        assertThat(both.parts()).extracting(Decision::rule).containsExactly(other, rule);
        assertThat(remote.shared.peek(other, "b:key").remaining()).isEqualTo(MANY - 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNodeIsNotCalledIfMemoryRejects(boolean later) {
        remote.cluster();
        remote.fail("a");
        untilLost("a");
        take("a:key", 10);
        int callsBefore = remote.calls.get();
        Decision both = decide(later, other.charge("b:key", 2), rule.charge("a:key"));
        assertThat(both.permitted()).isFalse();
        assertThat(both.parts()).extracting(Decision::rule).containsExactly(other, rule);
        assertThat(both.parts()).extracting(Decision::permitted).containsExactly(true, false);
        assertThat(remote.calls).hasValue(callsBefore);
        assertThat(local.peek(other, "b:key").remaining()).isEqualTo(MANY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void grantsInMemoryAreReturnedIfANodeRejects(boolean later) {
        remote.cluster();
        remote.fail("a");
        untilLost("a");
        take("b:key", 10);
        Decision both = decide(later, other.charge("a:key", 2), rule.charge("b:key"), other.charge("c:key"));
        assertThat(both.permitted()).isFalse();
        assertThat(both.onFailure()).isEmpty();
        assertThat(local.peek(other, "a:key").remaining()).isEqualTo(MANY);
        assertThat(remote.shared.peek(other, "c:key").remaining()).isEqualTo(MANY);
    }

    /** Nodes are called in parallel, also by a thread that blocks. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allNodesAreCalledBeforeOneIsAwaited(boolean later) {
        remote.cluster();
        remote.withhold(LONG);
        remote.onCall(charges -> {
            if (remote.calls.get() == 2) {
                var unused = CompletableFuture.runAsync(
                        remote::replyAll, CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS));
            }
        });
        Decision both = decide(later, rule.charge("a:key"), other.charge("b:key"));
        assertThat(both.permitted()).isTrue();
        assertThat(both.onFailure()).isEmpty();
    }

    @Test
    void aResetThatFailsResetsNothing() {
        remote.fail("");
        assertThat(take("key", 10).onFailure()).contains(OnFailure.LOCAL);
        assertThatThrownBy(() -> storage.reset(rule, "key")).isInstanceOf(StorageUnavailableException.class);
        assertThat(take("key", 1).permitted()).isFalse();
        remote.recover("");
        take("key", 10);
        storage.reset(rule, "key");
        assertThat(take("key", 10).permitted()).isTrue();
        assertThat(local.peek(rule, "key").remaining()).isEqualTo(10);
    }

    @Test
    void decidesRemotelyWithoutAFallback() {
        assertThat(storage.decideRemotely(rule.charge("key", 3)).onFailure()).isEmpty();
        remote.fail("");
        assertThatThrownBy(() -> storage.decideRemotely(rule.charge("key", 3)))
                .isInstanceOf(StorageUnavailableException.class)
                .hasMessage("The storage is gone");
        assertThat(local.size()).isZero();
        assertThat(callEvents).containsExactly("rule", "rule OK", "rule", "rule ERROR");
    }
}
