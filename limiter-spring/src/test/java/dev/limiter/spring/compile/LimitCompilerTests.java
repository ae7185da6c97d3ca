package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resolved limits respect the longest log that the storage allows. */
class LimitCompilerTests {

    private static final String WHERE = "limiter.rules.orders.limit-resolver";

    private final Problems problems = new Problems();

    private void check(TimeSteps steps, Limit limit) {
        steps.checkLogged(limit, WHERE, problems);
    }

    @Test
    void aLongLogIsAProblemInRedis() {
        check(TimeSteps.MICROSECONDS, Limit.slidingWindowLog(10_001, Duration.ofHours(1)));

        assertThat(catchThrowableOfType(LimiterConfigurationException.class, problems::throwIfAny))
                .hasMessageContainingAll(WHERE, "10001", "sliding-window-counter", "LIM-405");
    }

    @ParameterizedTest
    @CsvSource({"true, 10000", "false, 10001"})
    void aShorterOneIsNone(boolean redis, long limit) {
        check(
                redis ? TimeSteps.MICROSECONDS : TimeSteps.NANOSECONDS,
                Limit.slidingWindowLog(limit, Duration.ofHours(1)));

        assertThatNoException().isThrownBy(problems::throwIfAny);
    }

    @Test
    void saysThatThereIsNoAlgorithmAtAll() {
        LimitDefinition limit = LimitDefinition.of(
                RuleOrigin.property("limiter.rules.orders"), 1L, "1s", Algorithm.TOKEN_BUCKET, null, null);

        assertThatThrownBy(() ->
                        new LimitCompiler(Set.of(), TimeSteps.NANOSECONDS).compile(Map.of("", limit), Duration.ZERO))
                .hasMessageContaining("Available: none, because the RateLimiterFactory bean has no strategy")
                .hasMessageContaining("LIM-203");
    }

    @Test
    void aCounterIsNone() {
        check(TimeSteps.MICROSECONDS, Limit.slidingWindowCounter(10_001, Duration.ofHours(1)));

        assertThatNoException().isThrownBy(problems::throwIfAny);
    }
}
