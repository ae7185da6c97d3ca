package dev.limiter.spring.web.check;

import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.provider;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Scope;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.servlet.HandlerMapping;

class MaxKeysCheckTests {

    /** Rules, and the buckets that one client has of them with three endpoints. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(ruleSet(null, List.of(), rule("a", "/orders/**")), 1),
                arguments(ruleSet(null, List.of(), rule("a", "/orders/**").scope(Scope.ENDPOINT)), 2),
                arguments(ruleSet(null, List.of(), rule("a", "/**").scope(Scope.ENDPOINT)), 3),
                arguments(ruleSet(null, List.of(), rule("a", "/**").scope(Scope.ENDPOINT), rule("b", "/**")), 4),
                arguments(
                        ruleSet(
                                null,
                                List.of(),
                                rule("a", "/**").scope(Scope.ENDPOINT).mode(Mode.OFF),
                                rule("b", "/**")),
                        1),
                arguments(ruleSet(null, List.of("/orders"), rule("a", "/**").scope(Scope.ENDPOINT)), 2),
                arguments(ruleSet(rule("default"), List.of(), rule("a", "/**")), 4));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void findsRoomForLessThanOneClient(RuleSet rules, int buckets) {
        assertThat(check(rules, buckets)).isEmpty();
        assertThat(check(rules, buckets - 1))
                .singleElement()
                .asString()
                .startsWith("limiter.max-keys = " + (buckets - 1) + ": one client that uses all endpoints has about "
                        + buckets + " buckets already.")
                .endsWith("[LIM-907]");
    }

    private static List<Finding> check(RuleSet rules, long maxKeys) {
        HandlerMapping mapping = annotated("GET /orders/{id}", "POST /orders", "/any");
        return new MaxKeysCheck(new Rules(rules), provider(HandlerMapping.class, mapping), maxKeys).findings();
    }
}
