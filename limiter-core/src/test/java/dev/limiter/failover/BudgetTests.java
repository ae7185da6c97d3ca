package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetTests {

    private static final Duration TIMEOUT = Duration.ofMillis(50);

    private final VirtualTime time = new VirtualTime();
    private final Budget budget = Budget.of(TIMEOUT, time);

    @Test
    void endsAfterItsTimeout() {
        assertThat(budget.left()).isEqualTo(TIMEOUT.toNanos());
        time.advance(Duration.ofMillis(20));
        assertThat(budget.left()).isEqualTo(Duration.ofMillis(30).toNanos());
        time.advance(Duration.ofMillis(40));
        assertThat(budget.left()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"8, 0", "9, 4", "20, 5"})
    void isLateByMoreThanThreeMilliseconds(long passed, long late) {
        Budget small = Budget.of(Duration.ofMillis(5), time);
        time.advance(Duration.ofMillis(passed));
        assertThat(small.late()).isEqualTo(Duration.ofMillis(late).toNanos());
    }

    /** Threads normally wake up late by up to a tenth of the budget. */
    @ParameterizedTest
    @CsvSource({"0, 0", "40, 0", "50, 0", "55, 0", "56, 6", "80, 30", "100, 50", "1000, 50"})
    void isLateByMoreThanUsualUpToTheBudget(long passed, long late) {
        time.advance(Duration.ofMillis(passed));
        assertThat(budget.late()).isEqualTo(Duration.ofMillis(late).toNanos());
    }
}
