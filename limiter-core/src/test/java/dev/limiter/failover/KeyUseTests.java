package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A debt is charged by one settlement at a time, whatever that ends with. */
class KeyUseTests {

    private final Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofHours(1)));
    private final Charge charge = rule.charge("key", 3);
    private final KeyUse use = new KeyUse();

    @BeforeEach
    void grantThree() {
        assertThat(use.reserve(charge, rule, 1, 0)).allMatch(LimitStatus::permitted);
        new OutageGrant(use, charge).owe();
    }

    @Test
    void aSettlementThatThrowsFailsAndTheNextOneSettles() {
        CompletableFuture<Void> failed = use.settle(debt -> {
            throw new IllegalStateException("not now");
        });
        assertThat(failed).isCompletedExceptionally();
        assertThat(use.owes()).isTrue();
        assertThat(use.due("key")).isNotNull();
        CompletableFuture<Void> settled = use.settle(debt -> CompletableFuture.completedFuture(debt));
        assertThat(settled).isCompleted();
        assertThat(use.owes()).isFalse();
    }

    @Test
    void nothingIsOwedByARuleThatTheStorageCannotCount() {
        CompletableFuture<Void> settled = use.settle(debt -> {
            throw new IllegalArgumentException("no such window");
        });
        assertThat(settled).isCompletedWithValue(null);
        assertThat(use.owes()).isFalse();
    }

    @Test
    void callersShareASettlementThatIsUnderWay() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        CompletableFuture<Void> settled = use.settle(debt -> answer);
        assertThat(use.settle(debt -> new CompletableFuture<>()))
                .isSameAs(settled)
                .isNotDone();
        answer.complete(null);
        assertThat(settled).isCompleted();
    }
}
