package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Asynchronous decisions are the same as blocking ones. */
@Timeout(60)
class AsyncContractTests {

    private static final Duration DAY = Duration.ofDays(1);

    private final RateLimiters limiters = TestedStorage.limiters(new VirtualTime());

    @AfterEach
    void close() {
        limiters.close();
    }

    static Stream<Limit> limits() {
        return CostPerLimitContractTests.limits(3);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void decidesAndPeeks(Limit limit) {
        Rule rule = Rule.of("async", limit);
        for (long left = 2; left >= 0; left--) {
            Decision decision = limiters.tryAcquireAsync(rule, "alice").join();
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.remaining()).isEqualTo(left);
            Decision peek = limiters.peekAsync(rule, "alice").join();
            assertThat(peek.remaining()).isEqualTo(left);
            assertThat(peek.permitted()).isEqualTo(left > 0);
        }
        assertThat(limiters.tryAcquireAsync(rule, "alice").join().permitted()).isFalse();
        assertThat(limiters.peek(rule, "bob").remaining()).isEqualTo(3);
    }

    @Test
    void takesAllOrNothing() {
        Rule wide = Rule.of("wide", Limit.tokenBucket(10, DAY));
        Rule narrow = Rule.of("narrow", Limit.tokenBucket(1, DAY));
        assertThat(limiters.tryAcquireAsync(wide.charge("alice"), narrow.charge("alice"))
                        .join()
                        .permitted())
                .isTrue();
        assertThat(limiters.tryAcquireAsync(wide.charge("alice"), narrow.charge("alice"))
                        .join()
                        .permitted())
                .isFalse();
        assertThat(limiters.peekAsync(wide, "alice").join().remaining()).isEqualTo(9);
    }

    /** Either the decision came first and the caller returns it, or it is returned automatically. */
    @Test
    void cancelledDecisionKeepsNoPermit() {
        Rule rule = Rule.of("cancelled", Limit.tokenBucket(1, DAY));
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Decision> decision = limiters.tryAcquireAsync(rule, "alice");
            if (!decision.cancel(true)) {
                decision.join().giveBack();
            }
            while (!limiters.peek(rule, "alice").permitted()) {
                Thread.onSpinWait();
            }
        }
    }
}
