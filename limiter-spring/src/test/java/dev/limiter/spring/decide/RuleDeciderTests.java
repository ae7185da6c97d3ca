package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Modes, conditions and costs decide as documented, all rules or none. */
class RuleDeciderTests {

    private static final RateLimitContext ANN = user("ann");

    private final DecisionFixture fixture = new DecisionFixture();

    /** A rule, whether its second request is permitted, and the reports about both. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(once(), false, List.of("once permitted", "once rejected")),
                arguments(
                        once().set(RuleOptions.MODE, Mode.SHADOW),
                        true,
                        List.of("once permitted", "once shadow-rejected")),
                arguments(once().set(RuleOptions.MODE, Mode.OFF), true, List.of()),
                arguments(
                        once().set(RuleOptions.CONDITION, "#request.getHeader('user') != 'ann'"),
                        true,
                        List.of("once skipped", "once skipped")),
                arguments(
                        once().set(RuleOptions.CONDITION, "#request.getHeader('user') == 'ben'"),
                        true,
                        List.of("once skipped", "once skipped")),
                arguments(
                        once().set(RuleOptions.CONDITION, "#request.getHeader('user') == 'ann'"),
                        false,
                        List.of("once permitted", "once rejected")),
                arguments(
                        once().limit(3L, "1h", null, null, null).set(RuleOptions.COST, "2"),
                        false,
                        List.of("once permitted", "once rejected")),
                arguments(
                        once().set(RuleOptions.MODE, Mode.SHADOW)
                                .set(RuleOptions.CONDITION, "!#request.getHeader('none').isEmpty()"),
                        true,
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void decidesAndReports(RuleDefinition.Builder definition, boolean permitted, List<String> reported) {
        RateLimitRule rule = compiled(definition);
        assertThat(fixture.decide(ANN, rule).permitted()).isTrue();
        assertThat(fixture.decide(ANN, rule).permitted()).isEqualTo(permitted);
        assertThat(fixture.reported()).isEqualTo(reported);
    }

    @Test
    void permitsOfOneRuleAreNotTakenIfAnotherRejects() {
        RateLimitRule wide = compiled(rule("wide").limit(10L, "1h", null, null, null));
        RateLimitRule once = compiled(once());
        assertThat(fixture.decide(ANN, wide, once).permitted()).isTrue();
        Verdict rejected = fixture.decide(ANN, wide, once);

        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.isBy("once")).isTrue();
        assertThat(rejected.isBy("wide")).isFalse();
        assertThat(rejected.rejectingRule()).isEqualTo("once");
        assertThat(fixture.reported()).containsExactly("wide permitted", "once permitted", "once rejected");
        assertThat(fixture.remaining(wide, ANN)).isEqualTo(9);
    }

    @Test
    void rulesThatWatchAreAskedOnlyAboutPermittedRequests() {
        RateLimitRule once = compiled(once());
        RateLimitRule watching =
                compiled(rule("watching").limit(5L, "1h", null, null, null).set(RuleOptions.MODE, Mode.SHADOW));
        fixture.decide(ANN, once, watching);
        fixture.decide(ANN, once, watching);
        assertThat(fixture.reported()).containsExactly("once permitted", "watching permitted", "once rejected");
        assertThat(fixture.remaining(watching, ANN)).isEqualTo(4);
    }

    @Test
    void oneRuleThatWatchesDoesNotKeepAnotherFromBeingAsked() {
        RateLimitRule first = compiled(once().set(RuleOptions.MODE, Mode.SHADOW));
        RateLimitRule second =
                compiled(rule("second").limit(5L, "1h", null, null, null).set(RuleOptions.MODE, Mode.SHADOW));
        fixture.decide(ANN, first, second);
        fixture.reported();
        assertThat(fixture.decide(ANN, first, second).permitted()).isTrue();
        assertThat(fixture.reported()).containsExactly("once shadow-rejected", "second permitted");
        assertThat(fixture.remaining(second, ANN)).isEqualTo(3);
    }

    @Test
    void givenBackIsAllThatWasTaken() {
        RateLimitRule enforced = compiled(rule("enforced").limit(5L, "1h", null, null, null));
        RateLimitRule watching =
                compiled(rule("watching").limit(5L, "1h", null, null, null).set(RuleOptions.MODE, Mode.SHADOW));
        fixture.decide(ANN, enforced, watching).giveBack();
        assertThat(fixture.remaining(enforced, ANN)).isEqualTo(5);
        assertThat(fixture.remaining(watching, ANN)).isEqualTo(5);
    }

    @Test
    void failingExpressionCostsAPermitOfUnresolvedKeys() {
        RateLimitRule rule = compiled(once().set(RuleOptions.CONDITION, "!#request.getHeader('none').isEmpty()"));
        assertThatExceptionOfType(RuleEvaluationException.class).isThrownBy(() -> fixture.decide(ANN, rule));
        assertThat(fixture.reported()).isEmpty();

        assertThat(fixture.decide(ANN, rule).permitted()).isFalse();
        assertThat(fixture.reported()).containsExactly("once rejected");
        fixture.pass(Duration.ofHours(1));
        assertThatExceptionOfType(RuleEvaluationException.class).isThrownBy(() -> fixture.decide(ANN, rule));
    }

    @Test
    void peekReturnsTheStateOfLimitsAndTakesNothing() {
        RateLimitRule rule = compiled(rule("wide").limit(10L, "1h", null, null, null));
        Verdict verdict = fixture.decide(ANN, rule);
        fixture.decide(ANN, rule);
        for (int i = 0; i < 2; i++) {
            assertThat(fixture.decider.peek(verdict).join())
                    .singleElement()
                    .satisfies(limits -> assertThat(limits)
                            .singleElement()
                            .satisfies(limit -> assertThat(limit.remaining()).isEqualTo(8)));
        }
    }

    @Test
    void peekLeavesTheReserveToThoseWithPriority() {
        RateLimitRule rule = compiled(rule("reserved")
                .set(RuleOptions.KEY, List.of("global"))
                .limit(10L, "1h", null, null, null)
                .set(RuleOptions.PRIORITY, "#request.getHeader('user') == 'ann'")
                .set(RuleOptions.RESERVE, "20%"));
        Verdict first = fixture.decide(ANN, rule);
        Verdict ordinary = fixture.decide(user("ben"), rule);
        assertThat(remaining(first)).isEqualTo(8);
        assertThat(remaining(ordinary)).isEqualTo(6);
        fixture.decide(ANN, rule).giveBack();
        assertThat(remaining(ordinary)).isEqualTo(6);
        for (int i = 0; i < 8; i++) {
            fixture.decide(ANN, rule);
        }
        assertThat(remaining(ordinary)).isZero();
        assertThat(fixture.decider.peek(first).join().get(0).get(0).retryAfter())
                .contains(Duration.ofMinutes(6));
        assertThat(fixture.decider.peek(ordinary).join().get(0).get(0).retryAfter())
                .contains(Duration.ofMinutes(18));
    }

    private long remaining(Verdict verdict) {
        return fixture.decider.peek(verdict).join().get(0).get(0).remaining();
    }

    private static RuleDefinition.Builder once() {
        return rule("once").set(RuleOptions.KEY, List.of("header:user")).limit(1L, "1h", null, null, null);
    }
}
