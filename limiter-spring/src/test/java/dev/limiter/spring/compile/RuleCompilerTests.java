package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.limiter.Charge;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.decide.HeadersOnly;
import dev.limiter.spring.expression.RuleEvaluationException;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.key.SecretValues;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Scope;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.PathContainer;

/** Without it, a rule could charge another cost, share a bucket that it should not, or hide a mistake. */
class RuleCompilerTests {

    private static final RuleOrigin YML = RuleOrigin.property("limiter.rules.orders");

    private final RuleCompiler compiler = TestRules.compiler(SecretValues.asTheyAre());
    private final RateLimitContext context =
            RateLimitContext.of(HeadersOnly.of(Map.of("Content-Length", "2000", "user", "ann")), "GET /orders");

    @Test
    void chargeThatNeverChangesIsMadeOnce() {
        RateLimitRule rule = compiler.compile(orders().set(RuleOptions.PATHS, List.of("/orders"))
                .set(RuleOptions.COST, "3")
                .build());

        assertThat(rule.charge(context))
                .isSameAs(rule.charge(context))
                .isEqualTo(rule.rule().charge("", 3));
    }

    @Test
    void limitsHaveCostsOfTheirOwn() {
        RateLimitRule rule = compiler.compile(uploads("#{T(Long).parseLong(#request.getHeader('Content-Length'))}")
                .set(RuleOptions.COST, "3")
                .build());

        Charge charge = rule.charge(context);
        assertThat(charge).isEqualTo(rule.rule().charge("", 3).cost("bytes", 2000));
        assertThat(List.of(charge.permits(0), charge.permits(1))).containsExactly(3L, 2000L);
    }

    @Test
    void chargeWithFixedCostsIsMadeOnce() {
        RateLimitRule rule = compiler.compile(uploads("20")
                .set(RuleOptions.PATHS, List.of("/uploads"))
                .set(RuleOptions.MAX_WAIT, "5s")
                .set(RuleOptions.MAX_WAITING, 7)
                .build());

        assertThat(rule.charge(context))
                .isSameAs(rule.charge(context))
                .isEqualTo(rule.rule()
                        .charge()
                        .cost("bytes", 20)
                        .maxWait(Duration.ofSeconds(5))
                        .maxWaiting(7));
    }

    private static RuleDefinition.Builder uploads(String bytes) {
        return RuleDefinition.builder("uploads", YML)
                .namedLimit("requests", LimitDefinition.of(YML, 10L, "1s", null, null, null))
                .namedLimit("bytes", bytes(bytes));
    }

    private static LimitDefinition bytes(String cost) {
        return LimitDefinition.of(YML, 10_000L, "1h", null, null, null).with(LimitOptions.COST, cost, YML);
    }

    @Test
    void scopeEndpointDividesBuckets() {
        RateLimitRule rule = compiler.compile(orders().scope(Scope.ENDPOINT)
                .set(RuleOptions.KEY, List.of("header:user"))
                .build());

        assertThat(rule.charge(context).key()).isEqualTo("resource=11:GET /orders,header:user=3:ann");
    }

    @Test
    void methodsHaveBucketsOfTheirOwn() throws Exception {
        Method method = Object.class.getMethod("toString");

        assertThat(compiler.compile(orders().build(), method, "a()")
                        .charge(context)
                        .key())
                .isEqualTo("resource=3:a()");
        assertThat(compiler.compile(orders().scope(Scope.RULE).build(), method, "a()")
                        .charge(context)
                        .key())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{-1 + 0}", "#{1.5 + 1}"})
    void costsThatAreCertainlyNoneAreRejected(String cost) {
        assertThatThrownBy(() ->
                        compiler.compile(orders().set(RuleOptions.COST, cost).build()))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("limiter.rules.orders.cost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "2.5", "'three'", "null"})
    void costsThatAreNoneAreErrors(String cost) {
        RateLimitRule rule =
                compiler.compile(orders().set(RuleOptions.COST, "#{#request.method == 'FETCH' ? 1 : " + cost + "}")
                        .build());

        assertThatThrownBy(() -> rule.charge(context))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("limiter.rules.orders.cost")
                .hasMessageContaining("whole number");
    }

    @ParameterizedTest
    @CsvSource({"GET, true", "HEAD, true", "POST, true", "PUT, false", "FETCH, true", ", true"})
    void appliesToItsMethodsAndToInventedOnes(String method, boolean applies) {
        RateLimitRule rule = compiler.compile(orders().set(RuleOptions.PATHS, List.of("/orders"))
                .set(RuleOptions.METHODS, List.of("get", "Post"))
                .build());

        assertThat(rule.matcher().matches(method, "/orders", PathContainer.parsePath("/orders")))
                .isEqualTo(applies);
    }

    @Test
    void allProblemsAreReportedAtOnce() {
        RuleDefinition definition = RuleDefinition.builder("orders", YML)
                .limit(0L, "10", null, 0L, 0)
                .set(RuleOptions.PATHS, List.of("/{"))
                .set(RuleOptions.METHODS, List.of("FETCH"))
                .set(RuleOptions.KEY, List.of(""))
                .set(RuleOptions.COST, "x")
                .set(RuleOptions.CONDITION, "#")
                .build();

        assertThatThrownBy(() -> compiler.compile(definition))
                .asInstanceOf(type(LimiterConfigurationException.class))
                .extracting(failure -> failure.problems().size())
                .isEqualTo(9);
    }

    private static RuleDefinition.Builder orders() {
        return RuleDefinition.builder("orders", YML).limit(10L, "1s", null, null, null);
    }
}
