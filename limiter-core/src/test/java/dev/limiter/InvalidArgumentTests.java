package dev.limiter;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spi.CompiledLimit;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid arguments of the API fail at once with a message that names them. */
@SuppressWarnings("NullAway")
class InvalidArgumentTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RateLimiters limiters = RateLimiters.builder().build();
    private final Rule rule = Rule.of("rule", Limit.fixedWindow(10, SECOND));

    @Test
    void nullRuleIsReported() {
        Stream.<ThrowingCallable>of(
                        () -> limiters.tryAcquire(null, "key"),
                        () -> limiters.tryAcquire(null, "key", 2),
                        () -> limiters.tryTake(null, "key"),
                        () -> {
                            var unused = limiters.tryAcquireAsync(null, "key");
                        },
                        () -> limiters.acquire(null, "key", SECOND),
                        () -> {
                            var unused = limiters.acquireAsync(null, "key", SECOND);
                        },
                        () -> limiters.peek(null, "key"),
                        () -> {
                            var unused = limiters.peekAsync(null, "key");
                        },
                        () -> limiters.reset(null, "key"))
                .forEach(call ->
                        assertThatNullPointerException().isThrownBy(call).withMessage("rule must not be null"));
    }

    @Test
    void nullKeyIsReported() {
        List.<Runnable>of(
                        () -> limiters.tryAcquire(rule, null),
                        () -> limiters.tryTake(rule, null),
                        () -> limiters.acquire(rule, null, SECOND),
                        () -> limiters.peek(rule, null),
                        () -> limiters.reset(rule, null),
                        () -> rule.charge(null))
                .forEach(call ->
                        assertThatNullPointerException().isThrownBy(call::run).withMessage("key must not be null"));
    }

    @Test
    void nullDurationIsReported() {
        assertThatNullPointerException()
                .isThrownBy(() -> Limit.fixedWindow(10, null))
                .withMessage("window must not be null");
        assertThatNullPointerException()
                .isThrownBy(() -> limiters.acquire(rule, "key", null))
                .withMessage("maxWait must not be null");
    }

    @Test
    void nullRuleNameIsReported() {
        assertThatNullPointerException()
                .isThrownBy(() -> Rule.of(null, Limit.fixedWindow(10, SECOND)))
                .withMessage("name must not be null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void blankRuleNameIsReported(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rule.of(name, Limit.fixedWindow(10, SECOND)))
                .withMessage("The name of a rule is \"" + name + "\", but must not be blank");
    }

    @Test
    void ruleWithoutLimitsIsReported() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rule.of("rule"))
                .withMessage("Rule \"rule\" has no limit, but must have at least one");
    }

    @Test
    void strategyWithoutAnAlgorithmIsReported() {
        assertThatThrownBy(() -> new RateLimiterFactory(List.of(new Mute())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Mute.class.getName())
                .hasMessageContaining("algorithm()");
    }

    /** A strategy that returns null, like a fresh mock. */
    private static final class Mute implements RateLimiterStrategy {

        @Override
        public Algorithm algorithm() {
            return null;
        }

        @Override
        public CompiledLimit compile(Limit limit, long now) {
            return null;
        }
    }
}
