package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.inForceBeside;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.Settings;
import dev.limiter.spring.rule.TiersDefinition;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SlackLimitCheckTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.test");

    /** The limits of one rule, and the name of the one that the check finds. */
    static Stream<Arguments> limits() {
        return Stream.of(
                arguments(limits(limit(10, "1s"), limit(599, "1m")), null),
                arguments(limits(limit(10, "1s"), limit(600, "1m")), "b"),
                arguments(limits(limit(600, "1m"), limit(10, "1s")), "a"),
                arguments(limits(limit(10, "1s"), limit(10, "1s")), "b"),
                arguments(limits(limit(10, "1s"), limit(600, "1m").costing(ORIGIN, "2")), null),
                arguments(limits(limit(10, "1s"), limit(600, "1m")).mode(Mode.SHADOW), "b"),
                arguments(limits(limit(10, "1s"), limit(600, "1m")).mode(Mode.OFF), null));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void findsTheLimitThatAnotherOneOfItsRuleImplies(RuleDefinition.Builder rule, @Nullable String slack) {
        assertThat(new SlackLimitCheck(inForce(rule)).findings())
                .map(Finding::toString)
                .allSatisfy(text -> assertThat(text)
                        .startsWith("limiter.rules.test.limits." + slack + ": ")
                        .endsWith("[LIM-903]"))
                .hasSize(slack == null ? 0 : 1);
    }

    /** A rule beside the tight one, and whether the check finds it. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(orders(600, "1m"), true),
                arguments(orders(599, "1m"), false),
                arguments(orders(600, "1m").key(List.of("header:user")), false),
                arguments(orders(600, "1m").paths(List.of("/other")), false),
                arguments(orders(600, "1m").methods(List.of("POST")), false),
                arguments(orders(600, "1m").cost("2"), false),
                arguments(orders(600, "1m").mode(Mode.SHADOW), false));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void findsTheRuleThatAnotherOneOnTheSameRequestsImplies(RuleDefinition.Builder rule, boolean slack) {
        RuleDefinition.Builder tight = rule("tight").paths(List.of("/orders")).limit(10L, "1s", null, null, null);
        assertThat(new SlackLimitCheck(inForce(rule, tight)).findings())
                .map(Finding::toString)
                .allSatisfy(text -> assertThat(text)
                        .startsWith("limiter.rules.loose: ")
                        .contains("limiter.rules.tight,")
                        .endsWith("[LIM-904]"))
                .hasSize(slack ? 1 : 0);
    }

    /** Tight rules that do not refuse all that are above their limit. */
    static Stream<RuleDefinition.Builder> rulesWithExceptions() {
        return Stream.of(
                tight().tiers(new TiersDefinition(
                        "limiter.rules.tight.tiers",
                        new Setting<>("header:X-Plan", "limiter.rules.tight.tiers.by"),
                        Map.of(
                                "gold",
                                new TiersDefinition.Tier(new LimitDefinition("gold", Settings.NONE), null, true)))),
                tight().set(RuleOptions.ENFORCE, "1%"),
                tight().set(RuleOptions.ENFORCE, "99.99%"));
    }

    @ParameterizedTest
    @MethodSource("rulesWithExceptions")
    void ruleIsOfUseBesideOneWithExceptions(RuleDefinition.Builder tight) {
        RuleDefinition.Builder loose = orders(600, "1m").key(List.of("ip"));
        assertThat(new SlackLimitCheck(inForce(loose, tight)).findings()).isEmpty();
    }

    @Test
    void ruleThatIsEnforcedInPartIsImpliedByOneThatIsEnforcedForAll() {
        RuleDefinition.Builder loose = orders(600, "1m").key(List.of("ip")).set(RuleOptions.ENFORCE, "1%");
        assertThat(new SlackLimitCheck(inForce(loose, tight())).findings()).hasSize(1);
    }

    private static RuleDefinition.Builder tight() {
        return rule("tight").paths(List.of("/orders")).key(List.of("ip")).limit(10L, "1s", null, null, null);
    }

    @Test
    void findsTheLimitsOfTheAutomaticLimit() {
        assertThat(new SlackLimitCheck(inForceBeside(limits(limit(10, "1s"), limit(600, "1m")))).findings())
                .hasSize(1);
    }

    private static RuleDefinition.Builder orders(long limit, String window) {
        return rule("loose").paths(List.of("/orders")).limit(limit, window, null, null, null);
    }

    private static RuleDefinition.Builder limits(LimitDefinition a, LimitDefinition b) {
        return rule("test").namedLimit("a", a).namedLimit("b", b);
    }

    private static LimitDefinition limit(long limit, String window) {
        return LimitDefinition.of(ORIGIN, limit, window, null, null, null);
    }
}
