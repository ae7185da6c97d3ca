package dev.limiter.spring.edge;

import static dev.limiter.spring.compile.TestRules.inForce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.check.Finding;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.ClassUtils;

/** Attributes of annotations that have no effect are reported. */
class UnusedAnnotationsCheckTests {

    /** The methods that may serve GET /{id}. */
    static class Orders {

        @RateLimiter(name = "orders", key = "ip", cost = "2")
        public void keyAndCost() {}

        @RateLimiter(name = "orders")
        public void nameAlone() {}
    }

    private static RuleDefinition.Builder rule(String name, String... paths) {
        return TestRules.rule(name)
                .limit(100L, "1m", null, null, null)
                .set(RuleOptions.PATHS, paths.length == 0 ? null : List.of(paths));
    }

    /** A method, a rule, and a part of the finding; null if there is none. */
    static Stream<Arguments> methods() {
        return Stream.of(
                arguments("keyAndCost", rule("orders", "/**"), ": cost = \"2\", key = \"ip\" has no effect"),
                arguments("keyAndCost", rule("ORDERS", "/{id}"), "limiter.rules.ORDERS, whose paths cover the"),
                arguments(
                        "keyAndCost",
                        rule("orders", "/**").set(RuleOptions.KEY, List.of("ip")),
                        ": cost = \"2\" has no effect"),
                arguments("keyAndCost", rule("orders", "/**").set(RuleOptions.MODE, Mode.OFF), null),
                arguments("keyAndCost", rule("orders", "/all"), null),
                arguments("keyAndCost", rule("orders"), null),
                arguments("nameAlone", rule("orders", "/**"), null));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void findsAttributesWithoutEffect(String method, RuleDefinition.Builder rule, @Nullable String part) {
        Method handler = ClassUtils.getMethod(Orders.class, method);
        List<Finding> findings = new UnusedAnnotationsCheck(
                        inForce(rule),
                        () -> Stream.of(new UnusedAnnotationsCheck.Mapped(handler, Orders.class, Set.of("/{id}"))))
                .findings();
        assertThat(findings)
                .map(Finding::toString)
                .allSatisfy(text -> assertThat(text)
                        .contains("@RateLimiter on " + Orders.class.getName() + "." + method)
                        .contains(String.valueOf(part)))
                .hasSize(part == null ? 0 : 1);
    }
}
