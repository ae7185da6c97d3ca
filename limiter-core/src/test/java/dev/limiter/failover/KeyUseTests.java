package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A debt is charged by one settlement at a time, whatever that ends with. */
class KeyUseTests {

    private final Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(1)));
    private final Charge charge = rule.charge("key", 3);
    private final KeyUse use = new KeyUse();
    private final OutageGrant grant = new OutageGrant(use, charge, charge.rule());

    @BeforeEach
    void grantThree() {
        assertThat(use.reserve(charge, 1, 0)).allMatch(LimitStatus::permitted);
        grant.owe();
    }

    @Test
    void aSettlementThatThrowsFailsAndTheNextOneSettles() {
        CompletableFuture<Void> failed = use.settle(rule, 0, debt -> {
            throw new IllegalStateException("not now");
        });
        assertThat(failed).isCompletedExceptionally();
        assertThat(use.owes()).isTrue();
        assertThat(use.due("key")).isNotNull();
        assertThat(use.settle(rule, 0, debt -> settled(debt, 3))).isCompleted();
        assertThat(use.owes()).isFalse();
    }

    @Test
    void aGrantIsGivenBackAfterASettlementThatFailed() {
        assertThat(use.settle(rule, 0, debt -> CompletableFuture.failedFuture(new IllegalStateException("not now"))))
                .isCompletedExceptionally();
        grant.giveBack();
        assertThat(use.owes()).isFalse();
    }

    @Test
    void aGrantIsGivenBackDuringASettlementThatFails() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        CompletableFuture<Void> settled = use.settle(rule, 0, debt -> answer);
        grant.giveBack();
        answer.completeExceptionally(new IllegalStateException("not now"));
        assertThat(settled).isCompletedExceptionally();
        assertThat(use.owes()).isFalse();
    }

    @Test
    void aGrantThatIsSettledTakesNoOtherFromTheDebt() {
        assertThat(use.settle(rule, 0, debt -> settled(debt, 3))).isCompleted();
        assertThat(use.reserve(charge, 1, 0)).allMatch(LimitStatus::permitted);
        new OutageGrant(use, charge, charge.rule()).owe();
        grant.giveBack();
        assertThat(use.owes()).isTrue();
    }

    @Test
    void aLimitThatIsSettledIsNotSettledAgainWithOneThatIsNot() {
        Rule two = Rule.of(
                "two",
                Limit.fixedWindow(10, Duration.ofHours(1)).named("hourly"),
                Limit.fixedWindow(20, Duration.ofDays(1)).named("daily"));
        KeyUse both = new KeyUse();
        assertThat(both.reserve(two.charge("key", 4), 1, 0)).allMatch(LimitStatus::permitted);
        OutageGrant four =
                new OutageGrant(both, two.charge("key", 4), two.charge("key", 4).rule());
        four.owe();
        var unused = both.settle(two, 0, debt -> {
            debt.limits().get(1).settled(4);
            return CompletableFuture.failedFuture(new IllegalStateException("not now"));
        });
        List<Long> owed = new ArrayList<>();
        CompletableFuture<Void> never = both.settle(two, 0, debt -> {
            debt.limits().forEach(each -> owed.add(each.owed));
            return CompletableFuture.failedFuture(new IllegalStateException("not now"));
        });
        assertThat(never).isCompletedExceptionally();
        assertThat(owed).containsExactly(4L, 0L);
        four.giveBack();
        assertThat(both.owes()).isFalse();
    }

    @Test
    void aDebtOfALimitThatIsOneOfConcurrencyByNowIsSettled() {
        Rule pool = Rule.of("rule", Limit.concurrency(5));
        assertThat(use.reserve(pool.charge("key", 2), 1, 0)).allMatch(LimitStatus::permitted);
        OutageGrant held = new OutageGrant(
                use, pool.charge("key", 2), pool.charge("key", 2).rule());
        held.owe();
        assertThat(use.settle(rule, 0, debt -> settled(debt, 3))).isCompleted();
        grant.giveBack();
        assertThat(use.owes()).isTrue();
        held.giveBack();
        assertThat(use.owes()).isFalse();
    }

    @Test
    void whatElseHoldsPermitsLeavesNoDebtOfAnotherLimit() {
        Limit held = Limit.concurrency(5).named("held");
        Rule before = Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(1)).named("other"), held);
        KeyUse both = new KeyUse();
        assertThat(both.reserve(before.charge("key", 2), 1, 0)).allMatch(LimitStatus::permitted);
        OutageGrant two = new OutageGrant(
                both, before.charge("key", 2), before.charge("key", 2).rule());
        two.owe();
        Rule now = Rule.of("rule", Limit.concurrency(5).named("other"), held);
        assertThat(both.reserve(now.charge("key", 1), 1, 0)).allMatch(LimitStatus::permitted);
        new OutageGrant(both, now.charge("key", 1), now.charge("key", 1).rule()).owe();
        List<Long> owed = new ArrayList<>();
        assertThat(both.settle(now, 0, debt -> {
                    debt.limits().forEach(each -> owed.add(each.owed));
                    return CompletableFuture.completedFuture(null);
                }))
                .isCompleted();
        assertThat(owed).containsExactly(2L, 0L);
    }

    @Test
    void aGrantThatIsHeldLeavesTheDebtOfAnother() {
        Rule pools = Rule.of(
                "pools",
                Limit.concurrency(2).named("first"),
                Limit.concurrency(2).named("second"));
        Charge one = pools.charge("key");
        KeyUse both = new KeyUse();
        List<OutageGrant> grants = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            assertThat(both.reserve(one, 1, 0)).allMatch(LimitStatus::permitted);
            grants.add(new OutageGrant(both, one, one.rule()));
        }
        grants.forEach(OutageGrant::owe);
        pools.limits()
                .forEach(limit -> grants.get(0).hold(limit.name(), storage().decide(List.of(one))));
        grants.get(0).release();
        assertThat(both.owes()).isTrue();
        grants.get(1).release();
        assertThat(both.owes()).isFalse();
    }

    @Test
    void nothingIsHeldOfALimitThatIsAboutSomethingElseByNow() {
        Rule pool = Rule.of("rule", Limit.concurrency(5));
        KeyUse pooled = new KeyUse();
        assertThat(pooled.reserve(pool.charge("key", 2), 1, 0)).allMatch(LimitStatus::permitted);
        OutageGrant two = new OutageGrant(
                pooled, pool.charge("key", 2), pool.charge("key", 2).rule());
        two.owe();
        DebtSettlement settlement = new DebtSettlement(storage(), storage());
        assertThat(pooled.settle(rule, 0, debt -> settlement.settle(charge, debt)))
                .isCompleted();
        assertThat(pooled.owes()).isFalse();
        two.release();
        assertThat(pooled.reserve(pool.charge("key", 5), 1, 0)).allMatch(LimitStatus::permitted);
        assertThat(pooled.owes()).isTrue();
    }

    /** A state may depend on all limits of its rule. */
    @Test
    void aDebtIsChargedByTheRuleAsItIs() {
        Rule two = Rule.of(
                "two",
                Limit.fixedWindow(10, Duration.ofHours(1)).named("hourly"),
                Limit.fixedWindow(20, Duration.ofDays(1)).named("daily"));
        Charge four = two.charge("key", 4);
        RateLimiterStorage local = storage();
        RateLimiterStorage shared = storage();
        KeyUse both = new KeyUse();
        assertThat(both.reserve(four, 1, 0)).allMatch(LimitStatus::permitted);
        local.decide(List.of(four));
        new OutageGrant(both, four, four.rule()).owe();
        DebtSettlement settlement = new DebtSettlement(local, shared);
        assertThat(both.settle(two, 0, debt -> settlement.settle(four, debt))).isCompleted();
        assertThat(shared.peek(two, "key").limits())
                .extracting(LimitStatus::remaining)
                .containsExactly(6L, 16L);
    }

    /** Another instance would grant by the wider rule what a narrower one has no room for. */
    @Test
    void aDebtIsDueUntilTheWidestRuleHasTried() {
        Rule narrow = Rule.of("rule", Limit.tokenBucket(2, Duration.ofHours(1)));
        assertThat(use.settle(narrow, 0, debt -> settled(debt, 2))).isCompleted();
        KeyUse.Due due = use.due("key");
        assertThat(due).isNotNull();
        assertThat(due.charge().rule()).isEqualTo(rule);
        assertThat(use.settle(rule, 0, debt -> settled(debt, 0))).isCompleted();
        assertThat(use.due("key")).isNull();
        assertThat(use.owes()).isTrue();
    }

    @Test
    void aNarrowerRuleThatGrantsAsWellIsNotTheOneToChargeBy() {
        Rule narrow = Rule.of("rule", Limit.tokenBucket(4, Duration.ofHours(1)));
        assertThat(use.reserve(narrow.charge("key"), 1, 0)).allMatch(LimitStatus::permitted);
        new OutageGrant(use, narrow.charge("key"), narrow).owe();
        assertThat(use.due("key").charge().rule()).isEqualTo(rule);
        assertThat(use.settle(rule, 0, debt -> settled(debt, 4))).isCompleted();
        assertThat(use.reserve(narrow.charge("key"), 1, 0)).allMatch(LimitStatus::permitted);
        new OutageGrant(use, narrow.charge("key"), narrow).owe();
        assertThat(use.due("key").charge().rule()).isEqualTo(narrow);
    }

    private static RateLimiterStorage storage() {
        return new InMemoryRateLimiterStorage(new RateLimiterFactory(), new VirtualTime(), 100);
    }

    /** An answer that is heard before a return is sent may have been made after it was done. */
    @Test
    void anAnswerIsTakenAtItsWordUntilAReturnIsSent() {
        KeyUse known = new KeyUse();
        known.answered(new Answer(1, 4), 0);
        RemoteRuleStatus.Return back = known.returning(new Answer(1, 4), false, 0);
        assertThat(left(known)).isEqualTo(5);
        known.answered(new Answer(2, 5), 0);
        assertThat(left(known)).isEqualTo(5);
        back.sent();
        known.answered(new Answer(3, 5), 0);
        back.ended();
        assertThat(left(known)).isEqualTo(6);
        known.answered(new Answer(4, 5), 0);
        assertThat(left(known)).isEqualTo(5);
    }

    /** Neither what is used beyond the limit nor what was given back here is divided among instances. */
    @Test
    void whatIsGivenBackIsNotLeftWhereMoreIsUsedBeyondTheLimit() {
        KeyUse known = new KeyUse();
        known.answered(new Answer(1, -20), 0);
        for (int i = 0; i < 15; i++) {
            known.returning(new Answer(1, -20), false, 0);
        }
        LimitStatus refused = known.statuses(rule.charge("key"), 2, 0).get(0);
        assertThat(refused.permitted()).isFalse();
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfter()).contains(Duration.ofMinutes(36));
    }

    @Test
    void aReturnThatIsEndedBeforeItsSenderGoesOnIsInNoLaterAnswer() {
        KeyUse known = new KeyUse();
        RemoteRuleStatus.Return back = known.returning(new Answer(1, 4), false, 0);
        back.ended();
        back.sent();
        back.ended();
        known.answered(new Answer(2, 5), 0);
        assertThat(left(known)).isEqualTo(5);
    }

    private long left(KeyUse known) {
        return known.statuses(charge, 1, 0).get(0).remaining();
    }

    /** An answer to a request for one permit. */
    private final class Answer implements RemoteRuleStatus {

        private final Rule rule;
        private final long takenAt;
        private final long left;

        private Answer(long takenAt, long left) {
            this(KeyUseTests.this.rule, takenAt, left);
        }

        private Answer(Rule rule, long takenAt, long left) {
            this.rule = rule;
            this.takenAt = takenAt;
            this.left = left;
        }

        @Override
        public Rule rule() {
            return rule;
        }

        @Override
        public String key() {
            return "key";
        }

        @Override
        public long takenAt() {
            return takenAt;
        }

        @Override
        public long taken(int limit) {
            return 1;
        }

        @Override
        public long left(int limit) {
            return left;
        }

        @Override
        public long lastingNanos(int limit) {
            return Duration.ofMinutes(6 * (rule.limits().get(limit).capacity() - left))
                    .toNanos();
        }
    }

    private static boolean grant(KeyUse use, Charge charge, int instances, long now) {
        boolean permitted = use.reserve(charge, instances, now).stream().allMatch(LimitStatus::permitted);
        if (permitted) {
            new OutageGrant(use, charge, charge.rule()).owe();
        }
        return permitted;
    }

    /** Has all that a full bucket brings granted in memory for ten hours; the time then. */
    private long saturate(KeyUse known) {
        known.answered(new Answer(1, 0), 0);
        long now = 0;
        for (int i = 0; i < 100; i++) {
            now += Duration.ofMinutes(6).toNanos();
            assertThat(grant(known, rule.charge("key"), 1, now)).isTrue();
        }
        return now;
    }

    @Test
    void aLateAnswerIsAboutABucketThatHasLeakedSince() {
        KeyUse known = new KeyUse();
        long now = saturate(known);
        known.answered(new Answer(2, 10), now);
        LimitStatus full = known.statuses(rule.charge("key"), 1, now).get(0);
        assertThat(full.retryAfter()).contains(Duration.ofMinutes(6));
        assertThat(full.resetAfter()).isEqualTo(Duration.ofHours(1));
        now += Duration.ofMinutes(6).toNanos();
        assertThat(grant(known, rule.charge("key"), 1, now)).isTrue();
    }

    @Test
    void noMoreIsOwedThanABucketHolds() {
        KeyUse known = new KeyUse();
        long now = saturate(known) + Duration.ofMinutes(18).toNanos();
        known.answered(new Answer(2, 10), now);
        List<Long> owed = new ArrayList<>();
        assertThat(known.settle(rule, now, debt -> {
                    debt.limits().forEach(each -> owed.add(each.owed));
                    return CompletableFuture.completedFuture(null);
                }))
                .isCompleted();
        assertThat(owed).containsExactly(7L);
    }

    @Test
    void whatABucketHeldIsOwedNoMoreOnceThatHasLeaked() {
        KeyUse known = new KeyUse();
        long now = saturate(known);
        known.lapse(now + Duration.ofMinutes(59).toNanos());
        assertThat(known.owes()).isTrue();
        known.lapse(now + Duration.ofMinutes(60).toNanos());
        assertThat(known.owes()).isFalse();
    }

    /** Each leaks at its part of the rate, behind what the shared storage has counted. */
    @Test
    void twoInstancesTogetherGrantNoMoreThanABucketBrings() {
        List<KeyUse> instances = List.of(new KeyUse(), new KeyUse());
        instances.forEach(each -> each.answered(new Answer(1, 0), 0));
        int granted = 0;
        for (int minute = 1; minute <= 600; minute++) {
            long now = Duration.ofMinutes(minute).toNanos();
            for (KeyUse each : instances) {
                granted += grant(each, rule.charge("key"), 2, now) ? 1 : 0;
            }
        }
        assertThat(granted).isEqualTo(100);
    }

    /** One call may be about two tiers of a key. */
    @Test
    void ofTwoLimitsTheOneThatIsHeardOfLaterWasTakenLater() {
        Rule wider = Rule.of("rule", Limit.tokenBucket(100, Duration.ofHours(10)));
        KeyUse known = new KeyUse();
        known.answered(new Answer(rule, 1, 4), 0);
        known.answered(new Answer(wider, 1, 60), 0);
        assertThat(known.statuses(wider.charge("key"), 1, 0).get(0).remaining()).isEqualTo(60);
    }

    private static CompletableFuture<Void> settled(DebtSettlement.Debt debt, long permits) {
        debt.limits().get(0).settled(permits);
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void callersShareASettlementThatIsUnderWay() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        CompletableFuture<Void> settled = use.settle(rule, 0, debt -> answer);
        assertThat(use.settle(rule, 0, debt -> new CompletableFuture<>()))
                .isSameAs(settled)
                .isNotDone();
        answer.complete(null);
        assertThat(settled).isCompleted();
    }
}
