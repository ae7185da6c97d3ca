package dev.limiter.spring.web.check;

import static dev.limiter.spring.web.TestRules.inForce;
import static dev.limiter.spring.web.TestRules.rule;
import static dev.limiter.spring.web.TestRules.ruleSet;
import static dev.limiter.spring.web.route.TestMappings.annotated;
import static dev.limiter.spring.web.route.TestMappings.provider;
import static dev.limiter.spring.web.route.TestMappings.urls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import jakarta.servlet.Filter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.web.filter.CharacterEncodingFilter;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

class UnresolvableKeysCheckTests {

    private final StaticApplicationContext context = new StaticApplicationContext();

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ip; ",
                "path:id; ",
                "path:di; There is id. Did you mean id? [LIM-910]",
                "path:name; There is id. [LIM-910]",
                "path:name; so that all requests share one bucket. There is id.",
                "ip, path:name; so that this part of the key is the same for all requests. There is id.",
                "ip, path:name; There is id. [LIM-910]",
                "path:name|ip; ",
                "principal; limiter.rules.a.key = principal: nothing here logs users in",
                "ip, principal; nothing here logs users in",
                "principal; so that all requests share one bucket. Add what does, or use key: ip.",
                "principal, header:X-Tenant|ip; = principal: nothing here logs users in",
                "principal, header:X-Tenant|ip; so that this part of the key is the same for all requests. Add what does",
                "header:X-Tenant, principal|ip; ",
                "principal|ip; "
            })
    void findsKeysThatNoRequestHas(String key, @Nullable String part) {
        assertThat(check(rule("a", "/orders/**").key(List.of(key)), Stream.of(new CharacterEncodingFilter())))
                .map(Finding::toString)
                .allSatisfy(text ->
                        assertThat(text).startsWith("limiter.rules.a.key = ").contains(String.valueOf(part)))
                .hasSize(part == null ? 0 : 1);
    }

    @Test
    void endpointsWithoutVariablesHaveNone() {
        assertThat(check(rule("a", "/any").key(List.of("path:id")), Stream.of()))
                .singleElement()
                .asString()
                .contains("There are none.");
    }

    @Test
    void keyOfARuleThatIsOffOrWithoutEndpointsMayBeAny() {
        assertThat(check(rule("a", "/orders/**").key(List.of("principal")).mode(Mode.OFF), Stream.of()))
                .isEmpty();
        assertThat(check(rule("a", "/nothing").key(List.of("path:id")), Stream.of()))
                .isEmpty();
    }

    @Test
    void filterOfTheApplicationMayLogUsersIn() {
        // its package is neither Spring's nor that of these tests
        Filter own = (Filter) Proxy.newProxyInstance(
                Filter.class.getClassLoader(), new Class<?>[] {Filter.class}, (proxy, method, arguments) -> null);
        assertThat(check(rule("a", "/any").key(List.of("principal")), Stream.of(own)))
                .isEmpty();
    }

    @Test
    void springSecurityMayLogUsersIn() {
        context.registerSingleton("springSecurityFilterChain", CharacterEncodingFilter.class);
        assertThat(check(rule("a", "/any").key(List.of("principal")), Stream.of()))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ip; ",
                "path:id; ",
                "path:di; no endpoint that is covered has this path variable",
                "principal; nothing here logs users in",
                "principal|ip; "
            })
    void findsThoseOfTheDefaultLimit(String key, @Nullable String part) {
        RuleDefinition.Builder defaultLimit = RuleDefinition.builder(
                        "default", RuleOrigin.property("limiter.web.default-limit"))
                .limit(100L, "1m", null, null, null)
                .key(List.of(key));

        assertThat(check(new Rules(ruleSet(defaultLimit, List.of())), MethodLimits.NONE))
                .map(Finding::toString)
                .allSatisfy(text -> assertThat(text)
                        .startsWith("limiter.web.default-limit.key = " + key)
                        .contains(String.valueOf(part)))
                .hasSize(part == null ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({"principal, 1", "path:di, 0", "ip, 0"})
    void findsUsersOfMethods(String key, int count) {
        MethodLimits methods = new MethodLimits() {
            @Override
            public List<RateLimitRule> rules(RuleSet ruleSet) {
                return ruleSet.rules();
            }

            @Override
            public boolean isLimited(Method method, Class<?> targetClass) {
                return true;
            }
        };

        assertThat(check(inForce(rule("a").key(List.of(key))), methods)).hasSize(count);
    }

    private List<Finding> check(RuleDefinition.Builder rule, Stream<Filter> filters) {
        return check(inForce(rule), MethodLimits.NONE, filters);
    }

    private List<Finding> check(Rules rules, MethodLimits methods) {
        return check(rules, methods, Stream.of());
    }

    private List<Finding> check(Rules rules, MethodLimits methods, Stream<Filter> filters) {
        ObjectProvider<HandlerMapping> mappings = provider(
                HandlerMapping.class,
                annotated("GET /orders/{id}", "GET /orders", "/any"),
                urls(Map.of("/files/**", new ResourceHttpRequestHandler())));
        return new UnresolvableKeysCheck(rules, () -> methods, mappings, context, () -> filters).findings();
    }
}
