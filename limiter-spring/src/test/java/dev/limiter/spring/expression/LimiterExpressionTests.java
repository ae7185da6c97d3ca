package dev.limiter.spring.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.failure.LimiterConfigurationException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** Expressions see arguments, beans and the request; mistakes in them fail at startup. */
class LimiterExpressionTests {

    private static final Method PLACE = method("place");

    private final LimiterExpressionParser parser = new LimiterExpressionParser(
            new StaticListableBeanFactory(Map.of("plans", new Plans(), "my.plans", new Plans())));
    private final RateLimitContext call = new Call(PLACE, new Object[] {
        new User("alice", List.of("admin", "user")), 3, Map.of("size", "big", "a", "b")
    });

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "#user.id; alice",
                "#{#user.id}; alice",
                "#p0.id; alice",
                "#a0.id; alice",
                "#count + 1; 4",
                "#options[size]; big",
                "#user.roles.?[length() > 4]; [admin]",
                "@plans.of(#user); plan-of-alice",
                "@'my.plans'.of(#user); plan-of-alice",
                "#request == null; true",
                "#request?.path; ",
                "T(java.lang.Math).max(#count, 5); 5",
            })
    void seesArgumentsBeansAndTheRequest(String expression, String expected) {
        Object value =
                parser.parse(expression, "test", ExpressionScope.of(PLACE)).evaluate(call);

        assertThat(value == null ? null : value.toString()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#usr.id",
                "#p3",
                "#a9",
                "#p",
                "user.id",
                "count",
                "size()",
                "@plan.of(#user)",
                "#size(1)",
                "#request.pth",
                "#count = 5"
            })
    void whatThereIsNotStopsTheStart(String expression) {
        assertThatThrownBy(() -> parser.parse(expression, "key of @RateLimiter on place", ExpressionScope.of(PLACE)))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining("key of @RateLimiter on place")
                .hasMessageContaining("is invalid");
    }

    @Test
    void knownVariablesAreListed() {
        assertThatThrownBy(() -> parser.parse("#usr", "test", ExpressionScope.of(PLACE)))
                .hasMessageContaining("#request, #user, #count, #options, #p0, #a0");
    }

    @Test
    void whatTheApplicationThrowsIsNamed() {
        LimiterExpression failing = parser.parse("@plans.fail()", "limiter.rules.x.key", ExpressionScope.ANY);

        assertThatThrownBy(() -> failing.evaluate(call))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("@plans.fail()")
                .hasMessageContaining("limiter.rules.x.key")
                .hasStackTraceContaining("out of plans");
    }

    @Test
    void neitherTrueNorFalseIsAnError() {
        BooleanExpression condition =
                BooleanExpression.of(parser.parse("#user.id", "test", ExpressionScope.ANY), "1 > 0", true);

        assertThatThrownBy(() -> condition.evaluate(call))
                .isInstanceOf(RuleEvaluationException.class)
                .hasMessageContaining("must return true or false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "#{'abc'}; always abc",
                "5; always 5",
                "2 + 3; always 5",
                "'a' + 'b'; always ab",
                "null; always null",
            })
    void constantThatIsNeitherTrueNorFalseFails(String expression, String value) {
        LimiterExpression parsed = parser.parse(expression, "test", ExpressionScope.of(PLACE));

        assertThatThrownBy(() -> BooleanExpression.of(parsed, "1 > 0", true))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContaining(value)
                .hasMessageContaining("true or false");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "not false",
                "#count > 2 and #user.id matches 'a.*'",
                "#count between {1, 2}",
                "#user instanceof T(String)",
                "#options['a']",
                "#options.a",
                "#user.roles.contains('a')",
                "#count > 2 ? true : #user.roles.isEmpty()",
                "@plans.any()",
                "T(Boolean).valueOf(#user.id)",
                "#unknown",
            })
    void conditionThatMayBeTrueOrFalseIsFine(String expression) {
        ExpressionScope scope = expression.equals("#unknown") ? ExpressionScope.ANY : ExpressionScope.of(PLACE);

        assertThatCode(() -> BooleanExpression.of(parser.parse(expression, "test", scope), "1 > 0", true))
                .doesNotThrowAnyException();
    }

    private static Method method(String name) {
        return List.of(Orders.class.getDeclaredMethods()).stream()
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static class Orders {
        void place(User user, int count, Map<String, String> options) {}
    }

    public record User(String id, List<String> roles) {}

    public static class Plans {

        public String of(User user) {
            return "plan-of-" + user.id();
        }

        public void log() {}

        public Object any() {
            return true;
        }

        public String fail() {
            throw new UnsupportedOperationException("out of plans");
        }
    }

    private record Call(Method method, Object[] arguments) implements RateLimitContext {

        @Override
        public RequestView request() {
            return null;
        }

        @Override
        public String resource() {
            return "place";
        }
    }
}
