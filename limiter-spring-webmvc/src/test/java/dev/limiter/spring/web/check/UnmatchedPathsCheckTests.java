package dev.limiter.spring.web.check;

import static dev.limiter.spring.web.TestRules.inForce;
import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.provider;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.web.servlet.HandlerMapping;

class UnmatchedPathsCheckTests {

    /** A rule of an application under /shop, and a part of what the check says; null if it finds nothing. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(rule("a", "/orders"), null),
                arguments(rule("a", "/orders/{id}"), null),
                arguments(rule("a", "/order"), "paths = /order: no endpoint with these methods has such a path"),
                arguments(rule("a", "/order"), "the rule limits nothing"),
                arguments(rule("a", "/order", "/orders"), "paths = /order: "),
                arguments(rule("a", "/order", "/orders"), "only the other paths of the rule limit anything"),
                arguments(rule("a", "/items"), " There is /items/{id}, which /items/** covers. [LIM-901]"),
                arguments(rule("a", "/orders").methods(List.of("DELETE")), "the rule limits nothing"),
                arguments(rule("a", "/order").mode(Mode.OFF), null),
                arguments(rule("a", "/order").phase(Phase.REQUEST), null),
                arguments(rule("a", "/shop/orders"), "what follows the context path /shop,"),
                arguments(rule("a", "/shop"), "Leave it out. [LIM-912]"),
                arguments(rule("a", "/shop/orders").phase(Phase.REQUEST), "Leave it out. [LIM-912]"),
                arguments(rule("a", "/shopping"), "the rule limits nothing. Correct the paths or methods"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void findsPathsThatNoEndpointHas(RuleDefinition.Builder rule, @Nullable String part) {
        HandlerMapping mapping = annotated("GET /orders", "GET /orders/{id}", "GET /items/{id}");
        List<Finding> findings = new UnmatchedPathsCheck(
                        inForce(rule),
                        provider(HandlerMapping.class, mapping),
                        new MockEnvironment().withProperty("server.servlet.context-path", "/shop"))
                .findings();
        assertThat(findings)
                .map(Finding::toString)
                .allSatisfy(text ->
                        assertThat(text).startsWith("limiter.rules.a.paths = ").contains(String.valueOf(part)))
                .hasSize(part == null ? 0 : 1);
    }
}
