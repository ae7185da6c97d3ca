package dev.limiter.spring.web;

import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.application;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiters;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.ExplainedRule.Result;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.RequestDescription;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.TestMappings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.web.cors.CorsConfigurationSource;

/** Explanations name the rules that apply to a request, and charge nothing. */
class ServletRequestExplainerTests {

    private final HandlerMappings mappings =
            new HandlerMappings(application(annotated("GET /orders/{id}", "POST /orders")));
    private final RateLimiters limiters = RateLimiters.builder().build();

    @AfterEach
    void close() {
        limiters.close();
    }

    /** A rule next to the automatic limit, and the explanation of both for GET /orders/7. */
    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(
                        rule("test", "/orders/{id}"),
                        "test 1 PERMITTED: paths: /orders/{id}",
                        "default: an enforced rule with paths applies"),
                arguments(
                        rule("test", "/orders/7", "/orders/**", "/other"),
                        "test 1 PERMITTED: paths: /orders/7, /orders/**, /other",
                        "default: an enforced rule with paths applies"),
                arguments(
                        rule("test", "/orders/*").set(RuleOptions.PHASE, Phase.REQUEST),
                        "test 0 PERMITTED: paths: /orders/*",
                        "default: an enforced rule with paths applies"),
                arguments(
                        rule("test", "/orders/{id}").set(RuleOptions.DENY, List.of("192.0.2.0/24")),
                        "test 1 DENIED: paths: /orders/{id}",
                        "default: an enforced rule with paths applies"),
                arguments(
                        rule("test", "/orders/{id}").set(RuleOptions.MODE, Mode.SHADOW),
                        "default 1 PERMITTED: no enforced rule with paths applies",
                        "test 1 PERMITTED: paths: /orders/{id}"),
                arguments(
                        rule("test", "/orders/{id}").set(RuleOptions.MODE, Mode.OFF),
                        "default 1 PERMITTED: no enforced rule with paths applies",
                        "test: mode: off"),
                arguments(
                        rule("test", "/orders/{id}").set(RuleOptions.METHODS, List.of("POST")),
                        "default 1 PERMITTED: no enforced rule with paths applies",
                        "test: methods: not for GET"),
                arguments(
                        rule("test", "/other"),
                        "default 1 PERMITTED: no enforced rule with paths applies",
                        "test: paths: none matches"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void saysWhichRulesApplyAndWhy(RuleDefinition.Builder rule, String first, String second) {
        Explanation explanation = explainer(ruleSet(rule("default"), List.of(), rule))
                .explain(request("path", "/orders/7", "ip", "192.0.2.9"));
        assertThat(explanation.resource()).isEqualTo("GET /orders/{id}");
        assertThat(explanation.handler()).contains(TestMappings.HANDLER.getName());
        assertThat(explanation.client()).isEqualTo("192.0.2.9");
        assertThat(texts(explanation)).containsExactly(first, second);
    }

    /** The context path, the path to explain, and its handler. */
    @ParameterizedTest
    @CsvSource({
        "'', /orders/7, GET /orders/{id}",
        "/shop, /orders/7, GET /orders/{id}",
        "/shop, /shop/orders/7, GET /orders/{id}",
        "/shop, /shop/shop/orders/7,",
        "/shop, /shopping/orders/7,"
    })
    void pathMayBeginWithThatOfTheApplication(String application, String path, @Nullable String resource) {
        Explanation explanation =
                explainer(ruleSet(null, List.of()), null, application).explain(request("path", path));
        assertThat(explanation.resource()).isEqualTo(resource);
    }

    @Test
    void eachRuleOnArrivalNamesTheResourceByItsOwnPath() {
        RuleSet rules = ruleSet(null, List.of(), early("wide", "/**"), early("narrow", "/orders/*"));
        assertThat(keys(explainer(rules))).containsExactly("resource=5:* /**", "resource=11:* /orders/*");
        assertThat(keys(explainer(rules, (request, resource) -> resource + "!", "")))
                .containsExactly("resource=6:* /**!", "resource=12:* /orders/*!");
    }

    private static RuleDefinition.Builder early(String name, String path) {
        return rule(name, path).set(RuleOptions.PHASE, Phase.REQUEST).scope(Scope.ENDPOINT);
    }

    private static List<String> keys(ServletRequestExplainer explainer) {
        return explainer.explain(orders()).rules().stream()
                .map(of -> of.charge().key())
                .toList();
    }

    static Stream<RuleDefinition.Builder> spaced() {
        return Stream.of(
                rule("test", "/orders/{id}").limit(10L, "1d", null, null, null).warmUp("10d"),
                rule("test", "/orders/{id}")
                        .limit(10L, "1d", Algorithm.LEAKY_BUCKET, null, null)
                        .set(RuleOptions.MAX_WAIT, "1s"));
    }

    /** Waiting for several permits is explained like waiting for one. */
    @ParameterizedTest
    @MethodSource("spaced")
    void predictsTheTurnOfSeveralPermits(RuleDefinition.Builder spaced) {
        RuleSet rules = ruleSet(null, List.of(), spaced.set(RuleOptions.COST, "3"));
        ServletRequestExplainer explainer = explainer(rules);
        assertThat(explainer.explain(orders()).result()).isEqualTo(Result.PERMITTED);

        RateLimitRule rule = rules.find("test").orElseThrow();
        assertThat(limiters.tryAcquire(rule.rule(), key(explainer), 3).permitted())
                .isTrue();
        assertThat(explainer.explain(orders()).result()).isEqualTo(Result.REJECTED);
    }

    private static String key(ServletRequestExplainer explainer) {
        return explainer.explain(orders()).rules().get(0).charge().key();
    }

    private ServletRequestExplainer explainer(RuleSet rules) {
        return explainer(rules, null, "");
    }

    private ServletRequestExplainer explainer(
            RuleSet ruleSet, @Nullable ResourceResolver resources, String application) {
        Rules rules = new Rules(ruleSet);
        return new ServletRequestExplainer(
                rules,
                mappings,
                new Endpoints(rules, mappings, MethodLimits.NONE, false),
                new ClientAddresses(AddressSettings.DEFAULT),
                limiters,
                new PreflightDetector(new StaticListableBeanFactory().getBeanProvider(CorsConfigurationSource.class)),
                resources,
                application);
    }

    private static RequestDescription orders() {
        return request("path", "/orders/7");
    }

    /** Returns a description. */
    private static RequestDescription request(String... words) {
        Map<String, List<String>> values = new HashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            values.put(words[i], List.of(words[i + 1]));
        }
        return RequestDescription.of(values);
    }

    /** Returns the position of the decision, the result and the reason of each rule. */
    private static List<String> texts(Explanation explanation) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < explanation.decided().size(); i++) {
            for (ExplainedRule each : explanation.decided().get(i)) {
                texts.add(each.rule().name() + " " + i + " " + each.result() + ": " + each.because());
            }
        }
        explanation.others().forEach(each -> texts.add(each.rule().name() + ": " + each.because()));
        return texts;
    }
}
