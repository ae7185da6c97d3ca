package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Settlements of all debts go on after one that has failed, in whatever way. */
class BatchSettlementTests {

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);
    private final OutageUse use = new OutageUse(local, shared, time);
    private final Charge charge =
            Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(1))).charge("key", 3);

    @BeforeEach
    void owe() {
        assertThat(local.decide(List.of(charge)).permitted()).isTrue();
        new OutageGrant(use.reserve(charge, 1).use(), charge, charge.rule()).owe();
    }

    private void awaitSettled(BatchSettlement settlements) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!use.owesNothing()) {
            assertThat(System.nanoTime() - end).isNegative();
            settlements.begin(node -> true);
            Thread.onSpinWait();
        }
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
}
