package dev.limiter.spring.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Algorithm;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProblemsTests {

    private static final Problem ONE = new Problem(MessageCode.KEY, "a.key", "x", "One.");
    private static final Problem TWO = new Problem(MessageCode.COST, "a.cost", null, "Two.");

    private final Problems problems = new Problems();

    @Test
    void oneFailureHoldsTheProblemsOfAllParts() {
        assertThat(problems.collect(() -> "part")).isEqualTo("part");
        assertThat(problems.isEmpty()).isTrue();
        problems.throwIfAny();

        assertThat(problems.<String>collect(() -> {
                    throw new LimiterConfigurationException(List.of(ONE, TWO));
                }))
                .isNull();
        problems.add(MessageCode.BAN, "a.ban", null, "Three.");

        assertThat(problems.isEmpty()).isFalse();
        assertThatExceptionOfType(LimiterConfigurationException.class)
                .isThrownBy(problems::throwIfAny)
                .satisfies(failure -> assertThat(failure.problems())
                        .containsExactly(ONE, TWO, new Problem(MessageCode.BAN, "a.ban", null, "Three.")))
                .withMessage("a.key is \"x\": One. [LIM-301]\na.cost: Two. [LIM-208]\na.ban: Three. [LIM-309]");
    }

    @Test
    void otherFailuresAreNoProblems() {
        assertThatThrownBy(() -> problems.collect(() -> {
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");
    }

    @Test
    void validIsWhatHasNoProblem() {
        assertThat(problems.valid("part")).isEqualTo("part");
        problems.add(MessageCode.BAN, "a.ban", null, "Three.");
        assertThatThrownBy(() -> problems.valid("part")).isInstanceOf(LimiterConfigurationException.class);
    }

    @Test
    void constantIsFormattedAsInProperties() {
        assertThat(new Problem(MessageCode.IGNORED_OPTION, "a.algorithm", Algorithm.SLIDING_WINDOW_LOG, "No."))
                .hasToString("a.algorithm is \"sliding-window-log\": No. [LIM-204]");
    }
}
