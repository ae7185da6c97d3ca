package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.failover.StorageUnavailableException.Reason;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Settlements of all debts go on after one that has failed, in whatever way. */
class BatchSettlementTests {

    /** The debts of so many keys are charged at the same time. */
    private static final int TOGETHER = 64;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final OutageUse use = new OutageUse(local, shared, time);
    private final Charge charge =
            Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(1))).charge("key", 3);

    private final CommandedStorage remote = new CommandedStorage(time);

    /** How many keys were asked for before each run. */
    private final List<Integer> askedBefore = new ArrayList<>();

    @BeforeEach
    void owe() {
        owe(use, charge);
    }

    private void owe(OutageUse use, Charge charge) {
        assertThat(local.decide(List.of(charge)).permitted()).isTrue();
        new OutageGrant(use.reserve(charge, 1).use(), charge, charge.rule()).owe();
    }

    private void awaitSettled(BatchSettlement settlements) {
        Conditions.await(() -> {
            settlements.begin(node -> true);
            return use.owesNothing();
        });
        assertThat(shared.peek(charge.rule(), "key").remaining()).isEqualTo(7);
    }

    @Test
    void goOnAfterOneThatHasThrown() {
        BatchSettlement settlements = new BatchSettlement(use);
        CompletableFuture<Void> asked = new CompletableFuture<>();
        settlements.begin(node -> {
            asked.complete(null);
            throw new IllegalStateException("not now");
        });
        asked.join();
        awaitSettled(settlements);
    }

    @Test
    void goOnAfterThreadsHaveRunOut() {
        AtomicBoolean first = new AtomicBoolean(true);
        BatchSettlement settlements = new BatchSettlement(use, task -> {
            if (first.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
            }
            task.run();
        });
        settlements.begin(node -> true);
        awaitSettled(settlements);
    }

    /** Has all charges of as many keys as are settled together fail, and one with a smaller debt behind them not. */
    private void settleTwiceBehindOthersThatFail(Reason reason) {
        OutageUse owing = new OutageUse(local, remote, time);
        for (int i = 0; i < TOGETHER; i++) {
            owe(owing, charge.rule().charge("failing" + i, 3));
        }
        owe(owing, charge.rule().charge("sound", 1));
        remote.whenAsked(charges -> {
            if (!charges.get(0).key().equals("sound")) {
                throw new StorageUnavailableException("on purpose", null, reason);
            }
        });
        CompletableFuture<Void> second = new CompletableFuture<>();
        BatchSettlement settlements = new BatchSettlement(owing, task -> {
            askedBefore.add(remote.asked.get());
            if (askedBefore.size() == 2) {
                second.complete(null);
            } else {
                task.run();
            }
        });
        Conditions.await(() -> {
            settlements.begin(node -> true);
            return second.isDone();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"BROKEN_STATE", "LACKS_RIGHT"})
    void goOnBehindKeysThatCannotBeCharged(Reason reason) {
        settleTwiceBehindOthersThatFail(reason);
        assertThat(askedBefore).containsExactly(0, TOGETHER + 1);
        assertThat(remote.shared.peek(charge.rule(), "sound").remaining()).isEqualTo(9);
    }

    @ParameterizedTest
    @EnumSource(names = {"FAILED", "TIMED_OUT", "STOOD_STILL", "NOT_DONE"})
    void leaveTheRestToTheNextTimeWhereTheStorageFails(Reason reason) {
        settleTwiceBehindOthersThatFail(reason);
        assertThat(askedBefore).containsExactly(0, TOGETHER);
    }
}
