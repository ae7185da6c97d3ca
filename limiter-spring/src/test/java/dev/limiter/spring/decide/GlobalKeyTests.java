package dev.limiter.spring.decide;

import static dev.limiter.spring.compile.TestRules.compiled;
import static dev.limiter.spring.compile.TestRules.rule;
import static dev.limiter.spring.decide.DecisionFixture.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.SecretValues;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A rule without a key and one with {@code key: global} are the same in every respect but the finding LIM-903. */
class GlobalKeyTests {

    private static final RateLimitContext REQUEST = user("ann");

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("token bucket", rates()),
                arguments("concurrency", rule("r").limit(2L, null, Algorithm.CONCURRENCY, null, null)),
                arguments("scope: endpoint", rates().scope(Scope.ENDPOINT)),
                arguments("status: 503", rates().status(503)),
                arguments("max-wait", rates().set(RuleOptions.MAX_WAIT, "1s").set(RuleOptions.MAX_WAITING, 5)),
                arguments("cost", rates().set(RuleOptions.COST, "#{#request.getHeader('user').length()}")),
                arguments("charge-if", rates().set(RuleOptions.CHARGE_IF, "failed")));
    }

    private static RuleDefinition.Builder rates() {
        return rule("r").limit(100L, "1m", null, null, null);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void isTheSameAsNoKey(String name, RuleDefinition.Builder builder) throws NoSuchMethodException {
        RuleDefinition without = builder.build();
        RuleDefinition with = builder.set(RuleOptions.KEY, List.of("global")).build();

        assertThat(respects(compiled(with))).isEqualTo(respects(compiled(without)));
        assertThat(respects(compiledForMethod(with))).isEqualTo(respects(compiledForMethod(without)));
    }

    private static RateLimitRule compiledForMethod(RuleDefinition rule) throws NoSuchMethodException {
        Method method = GlobalKeyTests.class.getDeclaredMethod("limited");
        return TestRules.compiler(SecretValues.asTheyAre()).compile(rule, method, "Orders.list()");
    }

    @RateLimiter
    void limited() {}

    private static List<Object> respects(RateLimitRule rule) {
        List<Object> respects = new ArrayList<>();
        respects.add(rule.key(REQUEST));
        respects.add(rule.chargeOfNobody());
        respects.add(rule.isForAll(false));
        respects.add(rule.keyKinds());
        respects.add(rule.keyParts());
        respects.add(rule.headers());
        respects.add(rule.scope());
        respects.add(rule.protectsApplication());
        respects.add(rule.makesWait());
        respects.add(rule.enforces(rule.key(REQUEST)));
        respects.add(rule.keyOf("global", "GET /orders"));
        return respects;
    }

    static Stream<Arguments> rejected() {
        return Stream.of(
                arguments(
                        "LIM-310", rates().set(RuleOptions.PATHS, List.of("/a")).ban(20L, "1m", "15m")),
                arguments(
                        "LIM-315", rates().set(RuleOptions.PATHS, List.of("/a")).set(RuleOptions.ROLLOUT, "10%")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rejected")
    void needsClientsLikeNoKey(String code, RuleDefinition.Builder builder) {
        assertThatThrownBy(() -> compiled(builder)).hasMessageContaining(code);
        assertThatThrownBy(() -> compiled(builder.set(RuleOptions.KEY, List.of("global"))))
                .hasMessageContaining(code);
    }
}
