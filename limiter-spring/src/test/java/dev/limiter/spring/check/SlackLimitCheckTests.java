package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.inForceBeside;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.OnFailure;
import dev.limiter.spring.compiled.Rules;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SlackLimitCheckTests {

    private static final RuleOrigin ORIGIN = RuleOrigin.property("limiter.rules.test");

    private static SlackLimitCheck check(Rules rules) {
        return new SlackLimitCheck(rules, OnFailure.LOCAL);
    }

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
        assertThat(check(inForce(rule)).findings())
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
        assertThat(check(inForce(rule, tight)).findings())
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
        assertThat(check(inForce(loose, tight)).findings()).isEmpty();
    }

    @Test
    void ruleThatIsEnforcedInPartIsImpliedByOneThatIsEnforcedForAll() {
        RuleDefinition.Builder loose = orders(600, "1m").key(List.of("ip")).set(RuleOptions.ENFORCE, "1%");
        assertThat(check(inForce(loose, tight())).findings()).hasSize(1);
    }

    /** Cases of what the loose and the tight rule say, what counts otherwise, and whether the check finds the loose one. */
    @ParameterizedTest
    @CsvSource({
        ", , LOCAL, true",
        ", , ALLOW, true",
        ", , DENY, true",
        "LOCAL, ALLOW, LOCAL, false",
        "LOCAL, DENY, LOCAL, true",
        "ALLOW, LOCAL, LOCAL, true",
        "ALLOW, ALLOW, LOCAL, true",
        "ALLOW, DENY, LOCAL, true",
        "DENY, LOCAL, LOCAL, false",
        "DENY, ALLOW, LOCAL, false",
        "DENY, DENY, LOCAL, true",
        ", ALLOW, LOCAL, false",
        ", ALLOW, ALLOW, true",
        "LOCAL, , ALLOW, false",
        "ALLOW, , DENY, true"
    })
    void ruleIsOfUseWhereItRefusesMoreInAnOutage(
            @Nullable OnFailure ofLoose, @Nullable OnFailure ofTight, OnFailure otherwise, boolean slack) {
        RuleDefinition.Builder loose = orders(600, "1m").key(List.of("ip")).onFailure(ofLoose);
        Rules rules = inForce(loose, tight().onFailure(ofTight));
        assertThat(new SlackLimitCheck(rules, otherwise).findings()).hasSize(slack ? 1 : 0);
    }

    /** Of two that are the same but for that, neither order hides the one to remove. */
    @Test
    void ofTwoWithTheSameLimitsTheOneThatPermitsMoreInAnOutageIsFound() {
        for (List<OnFailure> order :
                List.of(List.of(OnFailure.ALLOW, OnFailure.LOCAL), List.of(OnFailure.LOCAL, OnFailure.ALLOW))) {
            RuleDefinition.Builder first = orders(10, "1s").key(List.of("ip")).onFailure(order.get(0));
            Rules rules = inForce(first, tight().onFailure(order.get(1)));
            assertThat(check(rules).findings())
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.toString())
                            .startsWith("limiter.rules." + (order.get(0) == OnFailure.ALLOW ? "loose: " : "tight: ")));
        }
    }

    private static RuleDefinition.Builder tight() {
        return rule("tight").paths(List.of("/orders")).key(List.of("ip")).limit(10L, "1s", null, null, null);
    }

    @Test
    void findsTheLimitsOfTheAutomaticLimit() {
        assertThat(check(inForceBeside(limits(limit(10, "1s"), limit(600, "1m"))))
                        .findings())
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
