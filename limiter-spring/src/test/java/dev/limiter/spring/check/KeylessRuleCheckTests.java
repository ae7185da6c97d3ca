package dev.limiter.spring.check;

import static dev.limiter.spring.compile.TestRules.inForce;
import static dev.limiter.spring.compile.TestRules.inForceBeside;
import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Algorithm;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A rule with paths and without a key is reported, because all clients share its bucket. */
class KeylessRuleCheckTests {

    /** Rules, and whether the one called orders is reported. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(inForce(orders()), true),
                arguments(inForce(orders().set(RuleOptions.MODE, Mode.SHADOW)), true),
                arguments(inForce(orders().set(RuleOptions.PHASE, Phase.REQUEST)), true),
                arguments(inForce(orders().limit(5L, null, Algorithm.CONCURRENCY, null, null)), true),
                arguments(inForce(orders().set(RuleOptions.MODE, Mode.OFF)), false),
                arguments(inForce(orders().set(RuleOptions.KEY, List.of("global"))), false),
                arguments(inForce(orders().set(RuleOptions.KEY, List.of("principal|ip"))), false),
                arguments(inForce(limited("orders")), false),
                arguments(inForceBeside(limited("default")), false));
    }

    private static RuleDefinition.Builder orders() {
        return limited("orders").set(RuleOptions.PATHS, List.of("/orders/**"));
    }

    private static RuleDefinition.Builder limited(String name) {
        return rule(name).limit(100L, "1m", null, null, null);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void findsRulesWithPathsAndWithoutAKey(Rules rules, boolean found) {
        assertThat(new KeylessRuleCheck(rules).findings())
                .map(Finding::toString)
                .isEqualTo(
                        found
                                ? List.of("limiter.rules.orders: all clients share one bucket, because the rule has no"
                                        + " key. Set key: ip or key: principal|ip, or key: global if that is intended."
                                        + " [LIM-903]")
                                : List.of());
    }
}
