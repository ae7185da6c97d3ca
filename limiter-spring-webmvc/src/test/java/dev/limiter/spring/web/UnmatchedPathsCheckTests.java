package dev.limiter.spring.web;

import static dev.limiter.spring.web.TestRules.inForce;
import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.application;
import static dev.limiter.spring.web.route.TestMappings.provider;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;

/** Paths of rules that no endpoint has are reported, and no others. */
class UnmatchedPathsCheckTests {

    /** A rule, and a part of its finding; null if there is none. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(rule("a", "/orders"), null),
                arguments(rule("a", "/orders/{id}"), null),
                arguments(rule("a", "/order"), "paths = /order: no endpoint or static file has such a path and method"),
                arguments(rule("a", "/order"), "the rule limits nothing"),
                arguments(rule("a", "/order", "/orders"), "paths = /order: "),
                arguments(rule("a", "/order", "/orders"), "Only the other paths of the rule have an effect"),
                arguments(rule("a", "/items"), " Did you mean /items/**? It covers /items/{id}. [LIM-901]"),
                arguments(rule("a", "/orders").set(RuleOptions.METHODS, List.of("DELETE")), "the rule limits nothing"),
                arguments(rule("a", "/orders").set(RuleOptions.METHODS, List.of("HEAD")), null),
                arguments(rule("a", "/orders/*").set(RuleOptions.METHODS, List.of("OPTIONS")), null),
                arguments(rule("a", "GET /orders"), "the rule limits nothing. Correct the paths or methods"),
                arguments(rule("a", "orders/{id}"), null),
                arguments(rule("a", "/order").set(RuleOptions.MODE, Mode.OFF), null),
                arguments(rule("a", "/order").set(RuleOptions.PHASE, Phase.REQUEST), null));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void findsPathsThatNoEndpointHas(RuleDefinition.Builder rule, @Nullable String part) {
        assertThat(findings(rule, new MockServletContext()))
                .map(Finding::toString)
                .allSatisfy(text ->
                        assertThat(text).startsWith("limiter.rules.a.paths = ").contains(String.valueOf(part)))
                .hasSize(part == null ? 0 : 1);
    }

    /** With mappings in a context that is neither this one nor a parent. */
    @ParameterizedTest
    @CsvSource({
        "org.springframework.web.servlet.DispatcherServlet, true",
        "jakarta.servlet.http.HttpServlet, false",
        "no.such.Servlet, false",
        ", false"
    })
    void anotherServletOfSpringMayHaveSuchAPath(@Nullable String type, boolean may) {
        MockServletContext servlets = new MockServletContext() {
            @Override
            public Map<String, ServletRegistration> getServletRegistrations() {
                return Map.of("first", registration(DispatcherServlet.class.getName()), "second", registration(type));
            }
        };
        assertThat(findings(rule("a", "/order"), servlets)).hasSize(may ? 0 : 1);
    }

    private static ServletRegistration registration(@Nullable String type) {
        return (ServletRegistration) Proxy.newProxyInstance(
                ServletRegistration.class.getClassLoader(),
                new Class<?>[] {ServletRegistration.class},
                (proxy, method, arguments) -> type);
    }

    private static List<Finding> findings(RuleDefinition.Builder rule, ServletContext servlets) {
        HandlerMapping mapping = annotated("GET /orders", "GET /orders/{id}", "GET /items/{id}");
        StaticWebApplicationContext application = application();
        application.setServletContext(servlets);
        return new UnmatchedPathsCheck(inForce(rule), provider(HandlerMapping.class, mapping), application).findings();
    }
}
