package dev.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import dev.limiter.test.VirtualTimeSource;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;

/** Annotations are found wherever they may be, fallbacks are called, and mistakes fail at startup. */
@ExtendWith(OutputCaptureExtension.class)
class LimitedMethodTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withPropertyValues("limiter.rules.shared.limit=2", "limiter.rules.shared.window=1h", "tuned.key=#p0")
            .withBean(VirtualTimeSource.class);

    @ParameterizedTest
    @ValueSource(strings = {"spring.aop.auto=true", "spring.aop.auto=false"})
    void findsTheAnnotationWithAndWithoutTheAopOfSpringBoot(String property) {
        application.withPropertyValues(property).withBean(Methods.class).run(context -> {
            Methods methods = context.getBean(Methods.class);
            permitsThenRejects(2, methods::limited);
            methods.free();
            permitsThenRejects(2, methods::composed);
            permitsThenRejects(3, methods::composedWithValue);
            permitsThenRejects(2, methods::overridden);
            permitsThenRejects(2, methods::repeated);
            context.getBean(VirtualTimeSource.class).advance(Duration.ofSeconds(1));
            permitsThenRejects(1, methods::repeated);
        });
    }

    @Test
    void warnsOfAnAnnotationThatLimitsNothing(CapturedOutput output) {
        application
                .withBean(Unreachable.class)
                .withBean(TypeWithFinalMethod.class)
                .run(context -> permitsThenRejects(2, context.getBean(TypeWithFinalMethod.class)::limited));
        for (String method : List.of("ofFinal", "ofPrivate", "ofStatic")) {
            assertThat(output)
                    .contains("@RateLimiter on " + Unreachable.class.getName() + "." + method + "() limits nothing");
        }
        assertThat(output)
                .contains("bypass the proxy")
                .containsPattern("TypeWithFinalMethod\\.\\w+\\(\\) limits nothing");
    }

    @Test
    void aTypeGivesEachMethodABucketOfItsOwnAndAMethodBeatsIt() {
        application.withBean(TypeLevel.class).run(context -> {
            TypeLevel type = context.getBean(TypeLevel.class);
            permitsThenRejects(2, type::one);
            permitsThenRejects(2, type::two);
            permitsThenRejects(2, () -> type.two("overloaded"));
            permitsThenRejects(3, type::own);
            assertThat(type.toString()).isEqualTo(type.toString()).isEqualTo(type.toString());
        });
    }

    @Test
    void methodsOfOneRuleHaveBucketsOfTheirOwnUnlessItsScopeIsTheRule() {
        application.withBean(Methods.class).run(context -> {
            permitsThenRejects(2, context.getBean(Methods.class)::shared);
            permitsThenRejects(2, context.getBean(Methods.class)::sharedToo);
        });
        application
                .withPropertyValues("limiter.rules.shared.scope=rule")
                .withBean(Methods.class)
                .run(context -> {
                    permitsThenRejects(2, context.getBean(Methods.class)::shared);
                    permitsThenRejects(0, context.getBean(Methods.class)::sharedToo);
                });
    }

    @Test
    void theConfigurationWinsAttributeByAttribute() {
        application
                .withPropertyValues("limiter.rules.tuned.limit=1")
                .withBean(Methods.class)
                .run(context -> {
                    Methods methods = context.getBean(Methods.class);
                    permitsThenRejects(1, () -> methods.tuned("alice"));
                    permitsThenRejects(1, () -> methods.tuned("bob"));
                    context.getBean(VirtualTimeSource.class).advance(Duration.ofSeconds(10));
                    permitsThenRejects(1, () -> methods.tuned("bob"));
                });
    }

    @Test
    void conditionAndCostSeeTheArguments() {
        application.withBean(Methods.class).run(context -> {
            Methods methods = context.getBean(Methods.class);
            for (int i = 0; i < 20; i++) {
                methods.priced(0, false);
            }
            methods.priced(7, true);
            permitsThenRejects(0, () -> methods.priced(4, true));
            methods.priced(3, true);
        });
    }

    @Test
    void callsTheFallback() {
        application.withBean(WithFallback.class).run(context -> {
            WithFallback bean = context.getBean(WithFallback.class);
            assertThat(bean.limited("a")).isEqualTo("limited a");
            assertThat(bean.limited("b")).isEqualTo("instead of b: WithFallback.limited");
            assertThat(bean.other(1)).isEqualTo(1);
            assertThat(bean.other(2)).isEqualTo(-2);
            assertThat(bean.failing()).isTrue();
            assertThatThrownBy(bean::failing).isInstanceOf(IOException.class);
        });
    }

    @Test
    void callsTheFallbackOfTheAnnotationThatRejects() {
        application
                .withPropertyValues("limiter.rules.per-hour.limit=2")
                .withBean(WithFallback.class)
                .run(context -> {
                    VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
                    WithFallback bean = context.getBean(WithFallback.class);
                    assertThat(bean.each()).isEqualTo("limited");
                    assertThat(bean.each()).isEqualTo("soon");
                    assertThat(bean.one()).isEqualTo("limited");
                    assertThat(bean.one()).isEqualTo("soon");
                    time.advance(Duration.ofSeconds(1));
                    assertThat(bean.each()).isEqualTo("limited");
                    assertThat(bean.each()).as("both reject").isEqualTo("soon");
                    assertThat(bean.one()).isEqualTo("limited");
                    time.advance(Duration.ofSeconds(1));
                    assertThat(bean.each()).isEqualTo("later");
                    permitsThenRejects(0, bean::one);
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {TypeWithFallback.class, FallbackOfMethodAndType.class})
    void doesNotLimitTheFallbackOfAType(Class<? extends Work> type) {
        application
                .withBean("work", Work.class, () -> BeanUtils.instantiateClass(type))
                .run(context -> {
                    Work work = context.getBean(Work.class);
                    assertThat(work.work("a")).isEqualTo("a");
                    assertThat(work.work("b")).isEqualTo("later b");
                    assertThat(work.work("c")).isEqualTo("later c");
                    assertThat(work.later("d")).isEqualTo(work.later("d")).isEqualTo("later d");
                    assertThat(context.getBean(LimitedMethods.class).found())
                            .containsExactly(type.getName() + ".work(java.lang.String)");
                });
    }

    @Test
    void allMistakesAreReportedAtOnce() {
        application
                .withBean(Mistakes.class)
                .withBean(OverloadedFallback.class)
                .withBean(NoFallbackFits.class)
                .run(context -> assertThat(((LimiterConfigurationException) context.getStartupFailure()).problems())
                        .map(Problem::toString)
                        .satisfiesExactlyInAnyOrder(
                                mistake("name", "Mistakes.noRule", "\"nowhere\"", "limiter.rules.nowhere"),
                                mistake("fallback", "Mistakes.noFallback", "\"missing\"", "String missing(String)"),
                                mistake("fallback", "Mistakes.wrong", "int odd(int, RateLimitExceededException)"),
                                mistake("limit", "Mistakes.zero", "\"0\"", "from 1"),
                                mistake("window", "Mistakes.noUnit", "\"10\""),
                                mistake("key", "Mistakes.badKey", "\"#{\""),
                                mistake("window", "Mistakes.noPlaceholder", "\"${none}\""),
                                mistake("name", "Mistakes.emptyName", "a placeholder resolved to nothing"),
                                mistake("name", "Mistakes.blankName", "\" \"", "a placeholder resolved to nothing"),
                                mistake("fallback", "OverloadedFallback.later(int)", "such as \"laterRejected\""),
                                mistake("fallback", "NoFallbackFits.work(int)", "a method \"int later(int)\""),
                                mistake("fallback", "NoFallbackFits.later(int)", "such as \"laterRejected\"")));
    }

    private static ThrowingConsumer<String> mistake(String attribute, String at, String... told) {
        return text -> assertThat(text)
                .contains(attribute + " of @RateLimiter on " + LimitedMethodTests.class.getName() + "$" + at)
                .contains(told);
    }

    @Test
    void nameOfTheAutomaticLimitIsReserved() {
        application
                .withBean(NamedDefault.class)
                .run(context -> permitsThenRejects(2, context.getBean(NamedDefault.class)::limited));
        application
                .withPropertyValues("limiter.web.default-limit.limit=5", "limiter.web.default-limit.window=1s")
                .withBean(NamedDefault.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContainingAll(
                                "name of @RateLimiter on " + NamedDefault.class.getName() + ".limited(",
                                "\"Default\"",
                                "name of limiter.web.default-limit",
                                "LIM-104"));
    }

    private static void permitsThenRejects(int permits, Runnable call) {
        for (int i = 0; i < permits; i++) {
            call.run();
        }
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RateLimiter(window = "1h")
    @interface Hourly {

        @AliasFor(annotation = RateLimiter.class, attribute = "limit")
        long value() default 2;
    }

    static class Overridden {

        @RateLimiter(limit = 2, window = "1h")
        public void overridden() {}
    }

    static class Methods extends Overridden {

        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}

        public void free() {}

        @Override
        public void overridden() {}

        @Hourly
        public void composed() {}

        @Hourly(3)
        public void composedWithValue() {}

        @RateLimiter(limit = 2, window = "1s")
        @RateLimiter(limit = 3, window = "1h")
        public void repeated() {}

        @RateLimiter("shared")
        public void shared() {}

        @RateLimiter("shared")
        public void sharedToo() {}

        @RateLimiter(name = "tuned", limit = 50, window = "10s", key = "${tuned.key}")
        public void tuned(String user) {}

        @RateLimiter(limit = 10, window = "1h", cost = "#cost", condition = "#counts")
        public void priced(int cost, boolean counts) {}
    }

    static class Unreachable {

        @RateLimiter(limit = 2, window = "1h")
        public final void ofFinal() {}

        @SuppressWarnings("UnusedMethod")
        @RateLimiter(limit = 2, window = "1h")
        private void ofPrivate() {}

        @RateLimiter(limit = 2, window = "1h")
        public static void ofStatic() {}
    }

    @RateLimiter(limit = 2, window = "1h")
    static class TypeWithFinalMethod {

        public void limited() {}

        public final void free() {}
    }

    @RateLimiter(limit = 2, window = "1h")
    static class TypeLevel {

        public void one() {}

        public void two() {}

        public void two(String overloaded) {}

        @RateLimiter(limit = 3, window = "1h")
        public void own() {}

        @Override
        public String toString() {
            return "type";
        }
    }

    static class WithFallback {

        @RateLimiter(limit = 1, window = "1h", fallback = "instead")
        public String limited(String argument) {
            return "limited " + argument;
        }

        @SuppressWarnings("UnusedMethod")
        private String instead(String argument, RateLimitExceededException rejection) {
            return "instead of " + argument + ": " + rejection.decision().rule().name();
        }

        @RateLimiter(limit = 1, window = "1h", fallback = "negative")
        public Integer other(int number) {
            return number;
        }

        int negative(int number) {
            return -number;
        }

        @RateLimiter(limit = 1, window = "1h", fallback = "fails")
        public boolean failing() throws IOException {
            return true;
        }

        boolean fails() throws IOException {
            throw new IOException("the fallback's own");
        }

        @RateLimiter(limit = 1, window = "1s", fallback = "soon")
        @RateLimiter(name = "perHour", limit = 9, window = "1h", fallback = "later")
        public String each() {
            return "limited";
        }

        @RateLimiter(limit = 1, window = "1s", fallback = "soon")
        @RateLimiter(limit = 2, window = "1h")
        public String one() {
            return "limited";
        }

        String soon() {
            return "soon";
        }

        String later() {
            return "later";
        }
    }

    interface Work {

        String work(String argument);

        String later(String argument);
    }

    static class Worker implements Work {

        @Override
        public String work(String argument) {
            return argument;
        }

        @Override
        public String later(String argument) {
            return "later " + argument;
        }
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class TypeWithFallback extends Worker {}

    @RateLimiter(limit = 9, window = "1h", fallback = "later")
    static class FallbackOfMethodAndType extends Worker {

        @Override
        @RateLimiter(limit = 1, window = "1h", fallback = "later")
        public String work(String argument) {
            return argument;
        }
    }

    static class NamedDefault {

        @RateLimiter(name = "Default", limit = 2, window = "1h")
        public void limited() {}
    }

    static class Mistakes {

        @RateLimiter("nowhere")
        public void noRule() {}

        @RateLimiter(limit = 1, fallback = "missing")
        public String noFallback(String argument) {
            return argument;
        }

        @RateLimiter(limit = 1, fallback = "odd")
        public int wrong(int argument) {
            return argument;
        }

        public String odd(int argument) {
            return "not an int";
        }

        @RateLimiter(limit = 0)
        public void zero() {}

        @RateLimiter(limit = 1, window = "10")
        public void noUnit() {}

        @RateLimiter(limit = 1, key = "#{")
        public void badKey() {}

        @RateLimiter(limit = 1, window = "${none}")
        public void noPlaceholder() {}

        @RateLimiter(name = "${none:}", limit = 1)
        public void emptyName() {}

        @RateLimiter(name = " ", limit = 1)
        public void blankName() {}
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class OverloadedFallback {

        public String work(String argument) {
            return argument;
        }

        public String later(String argument) {
            return argument;
        }

        public String later(int other) {
            return "" + other;
        }
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class NoFallbackFits {

        public int work(int number) {
            return number;
        }

        public String later(int number) {
            return "" + number;
        }
    }
}
