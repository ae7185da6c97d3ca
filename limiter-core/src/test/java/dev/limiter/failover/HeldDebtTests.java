package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.DelegatingStorage;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Permits in flight are held in the shared storage as far as there is room, and it is not asked for the others. */
class HeldDebtTests {

    private static final int CAPACITY = 1_000;

    private final VirtualTime time = new VirtualTime();
    private final CountedStorage shared =
            new CountedStorage(new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100));
    private final DebtSettlement settlement =
            new DebtSettlement(new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100), shared);
    private final KeyUse use = new KeyUse();
    private final Rule pool = Rule.of("pool", Limit.concurrency(CAPACITY));

    /** Storage that counts the calls for a decision. */
    private static final class CountedStorage extends DelegatingStorage {

        private int calls;

        CountedStorage(RateLimiterStorage storage) {
            super(storage);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            calls++;
            return super.decide(charges);
        }
    }

    private OutageGrant grant(Rule rule, long permits) {
        Charge charge = rule.charge("key", permits);
        assertThat(use.reserve(charge, 1, 0)).allMatch(LimitStatus::permitted);
        OutageGrant grant = new OutageGrant(use, charge, charge.rule());
        grant.owe();
        return grant;
    }

    /** How many calls a settlement takes. */
    private int settle(Rule rule) {
        int before = shared.calls;
        assertThat(use.settle(rule, 0, debt -> settlement.settle(rule.charge("key", 0), debt)))
                .isCompleted();
        return shared.calls - before;
    }

    private long free(Rule rule) {
        return shared.peek(rule, "key").remaining();
    }

    private Decision elsewhere(Rule rule, long permits) {
        Decision decision = shared.decide(List.of(rule.charge("key", permits)));
        assertThat(decision.permitted()).isTrue();
        return decision;
    }

    @Test
    void aFullLimitIsAskedForOnce() {
        Decision all = elsewhere(pool, CAPACITY);
        List<OutageGrant> grants = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            grants.add(grant(pool, 1));
        }
        for (int i = 0; i < 3; i++) {
            assertThat(settle(pool)).isEqualTo(1);
        }
        all.close();
        assertThat(settle(pool)).isEqualTo(CAPACITY);
        assertThat(free(pool)).isZero();
        assertThat(settle(pool)).isZero();
        grants.forEach(OutageGrant::release);
        assertThat(free(pool)).isEqualTo(CAPACITY);
        assertThat(use.owes()).isFalse();
    }

    @Test
    void onlySoManyAreAskedForAsThereIsRoomFor() {
        elsewhere(pool, CAPACITY - 3);
        for (int i = 0; i < 100; i++) {
            grant(pool, 1);
        }
        assertThat(settle(pool)).isEqualTo(3);
        assertThat(free(pool)).isZero();
        assertThat(use.owes()).isTrue();
    }

    /** Of seven permits, one and two and three are held: the next four do not fit into the one that is left. */
    @Test
    void grantsOfTheFewestPermitsAreHeldFirst() {
        elsewhere(pool, CAPACITY - 7);
        List<Long> permits =
                new ArrayList<>(LongStream.rangeClosed(1, 20).boxed().toList());
        Collections.shuffle(permits);
        List<OutageGrant> grants = new ArrayList<>();
        permits.forEach(each -> grants.add(grant(pool, each)));
        assertThat(settle(pool)).isEqualTo(3);
        assertThat(grants.stream().filter(each -> !each.isUnheld()).map(each -> each.charge.permits()))
                .containsExactlyInAnyOrder(1L, 2L, 3L);
        assertThat(settle(pool)).isEqualTo(1);
    }

    @Test
    void eachFullLimitIsAskedForOnce() {
        Rule both = Rule.of(
                "both",
                Limit.concurrency(CAPACITY).named("first"),
                Limit.concurrency(CAPACITY).named("second"));
        elsewhere(both, CAPACITY);
        for (int i = 0; i < 100; i++) {
            grant(both, 1);
        }
        assertThat(settle(both)).isEqualTo(2);
        assertThat(settle(both)).isEqualTo(2);
    }
}
