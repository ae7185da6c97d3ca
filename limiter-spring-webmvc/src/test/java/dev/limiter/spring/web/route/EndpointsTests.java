package dev.limiter.spring.web.route;

import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.application;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.edge.Endpoint;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/** Each endpoint has its resource, its rules and, without rules, the automatic limit. */
class EndpointsTests {

    private final HandlerMappings mappings =
            new HandlerMappings(application(annotated("GET /orders/{id}", "GET POST /orders", "/any")));

    @ParameterizedTest
    @CsvSource({
        "GET, /orders/{id}, GET /orders/{id}",
        "HEAD, /orders/{id}, GET /orders/{id}",
        "GET, /orders, * /orders",
        "DELETE, /any, * /any",
        "OPTIONS, '', * /**"
    })
    void resourceIsNamedAsMapped(String method, String pattern, String resource) {
        Endpoints endpoints = endpoints(ruleSet(null, List.of()), MethodLimits.NONE, false);
        assertThat(endpoints
                        .of(request(method, pattern), TestMappings.handler())
                        .resource())
                .isEqualTo(resource);
    }

    /** A rule next to the automatic limit, and the rules that apply to GET /orders/7. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(rule("test", "/orders/{id}"), "test"),
                arguments(rule("test", "/orders/*"), "test"),
                arguments(rule("test", "/orders/7"), "test"),
                arguments(rule("test", "/orders/8"), "default"),
                arguments(rule("test", "/orders/{id}").set(RuleOptions.METHODS, List.of("POST")), "default"),
                arguments(rule("test", "/orders/{id}").set(RuleOptions.MODE, Mode.OFF), "default"),
                arguments(rule("test", "/orders/{id}").set(RuleOptions.MODE, Mode.SHADOW), "default test"),
                arguments(
                        rule("test", "/orders/{id}")
                                .set(RuleOptions.KEY, List.of("ip"))
                                .set(RuleOptions.ROLLOUT, "10%"),
                        "test default"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void automaticLimitAppliesWhereNoRuleIsEnforced(RuleDefinition.Builder rule, String asked) {
        Endpoint endpoint = orders(ruleSet(rule("default"), List.of(), rule), MethodLimits.NONE);
        assertThat(names(endpoint, "/orders/7", List.of())).isEqualTo(asked);
    }

    @ParameterizedTest
    @CsvSource({"/orders/**, ''", "/orders/{id}, ''", "/orders/7, ''", "/orders/8, default", "/other, default"})
    void excludedPathIsNotLimited(String excluded, String asked) {
        Endpoint endpoint = orders(ruleSet(rule("default"), List.of(excluded)), MethodLimits.NONE);
        assertThat(names(endpoint, "/orders/7", List.of())).isEqualTo(asked);
    }

    @Test
    void ruleThatWasDecidedIsNotDecidedAgainAndTakesThePlaceOfTheAutomaticLimit() {
        RuleSet rules = ruleSet(rule("default"), List.of(), rule("a", "/orders/{id}"), rule("b", "/orders/{id}"));
        Endpoint endpoint = orders(rules, MethodLimits.NONE);
        assertThat(names(endpoint, "/orders/7", List.of())).isEqualTo("a b");
        assertThat(names(endpoint, "/orders/7", List.of(rules.find("a").orElseThrow())))
                .isEqualTo("b");
        assertThat(names(endpoint, "/orders/7", rules.pathRules())).isEmpty();
    }

    @Test
    void handlerWithLimitsOfItsOwnHasNoAutomaticLimit() {
        RuleSet rules = ruleSet(rule("default"), List.of());
        assertThat(orders(rules, MethodLimits.NONE).defaultLimit()).isNotNull();
        assertThat(orders(rules, (method, type) -> method.equals(TestMappings.HANDLER))
                        .defaultLimit())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"false, ''", "true, default"})
    void staticFilesHaveTheAutomaticLimitOnlyIfTheyAreToHaveIt(boolean staticResources, String asked) {
        Endpoints endpoints = endpoints(ruleSet(rule("default"), List.of()), MethodLimits.NONE, staticResources);
        Endpoint files = endpoints.of(request("GET", "/**"), new ResourceHttpRequestHandler());
        assertThat(files.resource()).isEqualTo("* /**");
        assertThat(names(files, "/style.css", List.of())).isEqualTo(asked);
    }

    @Test
    void routeWithoutAPathHasTheAutomaticLimit() {
        Endpoints endpoints = endpoints(ruleSet(rule("default"), List.of()), MethodLimits.NONE, false);
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/anything");
        HandlerFunction<ServerResponse> route = routed -> ServerResponse.ok().build();
        Endpoint endpoint = endpoints.of(request, route);
        assertThat(endpoint.resource()).isEqualTo("* /**");
        assertThat(names(endpoint, "/anything", List.of())).isEqualTo("default");
    }

    @Test
    void endpointIsRememberedUntilTheRulesChange() {
        Rules rules = new Rules(ruleSet(null, List.of()));
        Endpoints endpoints = new Endpoints(rules, mappings, MethodLimits.NONE, false);
        Endpoint first = endpoints.of(request("GET", "/orders/{id}"), TestMappings.handler());
        assertThat(endpoints.of(request("GET", "/orders/{id}"), TestMappings.handler()))
                .isSameAs(first);

        rules.replace(ruleSet(null, List.of(), rule("new", "/orders/{id}")));
        Endpoint second = endpoints.of(request("GET", "/orders/{id}"), TestMappings.handler());
        assertThat(names(first, "/orders/7", List.of())).isEmpty();
        assertThat(names(second, "/orders/7", List.of())).isEqualTo("new");
    }

    private Endpoint orders(RuleSet rules, MethodLimits methods) {
        return endpoints(rules, methods, false).of(request("GET", "/orders/{id}"), TestMappings.handler());
    }

    private Endpoints endpoints(RuleSet rules, MethodLimits methods, boolean staticResources) {
        return new Endpoints(new Rules(rules), mappings, methods, staticResources);
    }

    private static MockHttpServletRequest request(String method, String pattern) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, "/orders/7");
        if (!pattern.isEmpty()) {
            request.setAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, pattern);
        }
        return request;
    }

    private static String names(Endpoint endpoint, String path, List<RateLimitRule> decided) {
        ApplicableRules applicable = endpoint.rules(PathContainer.parsePath(path), decided);
        return Stream.of(applicable.enforced(), applicable.shadow())
                .flatMap(List::stream)
                .map(RateLimitRule::name)
                .collect(Collectors.joining(" "));
    }
}
