package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The steps of a decision that rules may need, computed before requests. */
class ApplicableRulesTests {

    static Stream<Arguments> options() {
        return Stream.of(
                option(List.of("more"), rule -> rule.set(RuleOptions.DENY, List.of("192.0.2.0/24"))),
                option(List.of("more"), rule -> rule.ban(3L, "1m", "15m")),
                option(List.of("settling"), rule -> rule.set(RuleOptions.CHARGE_IF, "#response.status == 401")),
                option(List.of("more", "waiting"), rule -> rule.set(RuleOptions.MAX_WAIT, "500ms")));
    }

    private static Arguments option(List<String> steps, UnaryOperator<RuleDefinition.Builder> with) {
        return Arguments.of(steps, with);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("options")
    void oneEnforcedRuleNeedsTheSteps(List<String> steps, UnaryOperator<RuleDefinition.Builder> with) {
        assertThat(steps(rule("plain"), with.apply(rule("other")))).isEqualTo(steps);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("options")
    void aRuleInShadowModeIsAStepItself(List<String> steps, UnaryOperator<RuleDefinition.Builder> with) {
        assertThat(steps(rule("plain"), with.apply(rule("other")).set(RuleOptions.MODE, Mode.SHADOW)))
                .containsExactly("more");
    }

    @Test
    void plainRulesNeedNone() {
        assertThat(steps(rule("plain"), rule("other").set(RuleOptions.ALLOW, List.of("192.0.2.0/24"))))
                .isEmpty();
    }

    private static RuleDefinition.Builder rule(String name) {
        return keyed(name, "header:user");
    }

    private static List<String> steps(RuleDefinition.Builder one, RuleDefinition.Builder other) {
        ApplicableRules rules = ApplicableRules.of(List.of(compiled(one), compiled(other)));
        List<String> steps = new ArrayList<>();
        add(steps, !rules.onlyLimits, "more");
        add(steps, rules.settling, "settling");
        add(steps, rules.waiting, "waiting");
        return steps;
    }

    private static void add(List<String> steps, boolean needed, String step) {
        if (needed) {
            steps.add(step);
        }
    }
}
