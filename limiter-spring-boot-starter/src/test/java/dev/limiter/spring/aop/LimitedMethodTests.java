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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;

class LimitedMethodTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withConfiguration(Limiter.autoConfigurations())
            .withBean(VirtualTimeSource.class);

    @Test
    void findsTheAnnotationOnTheMethod() {
        application.withBean(Plain.class).run(context -> {
            Plain plain = context.getBean(Plain.class);
            permitsThenRejects(2, plain::limited);
            plain.free();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void findsTheAnnotationOnAnInterfaceWithEachSortOfProxy(boolean targetClass) {
        application
                .withPropertyValues("spring.aop.proxy-target-class=" + targetClass)
                .withBean("impl", Contract.class, Implementation::new)
                .run(context -> permitsThenRejects(2, context.getBean(Contract.class)::limited));
    }

    @Test
    void findsTheAnnotationWithoutTheAopOfSpringBoot() {
        application
                .withPropertyValues("spring.aop.auto=false")
                .withBean(Plain.class)
                .run(context -> permitsThenRejects(2, context.getBean(Plain.class)::limited));
    }

    @Test
    void findsTheAnnotationOfAnOverriddenMethod() {
        application
                .withBean(Overriding.class)
                .run(context -> permitsThenRejects(2, context.getBean(Overriding.class)::limited));
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalMethod.class, PrivateMethod.class, StaticMethod.class})
    @ExtendWith(OutputCaptureExtension.class)
    void warnsOfAnAnnotationThatLimitsNothing(Class<?> type, CapturedOutput output) {
        application.withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .contains("@RateLimiter on " + type.getName() + ".limited() limits nothing")
                    .contains("do not go through the proxy");
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aTypeMayHaveMethodsOutOfReachAndIsTold(CapturedOutput output) {
        application
                .withBean(TypeWithFinalMethod.class)
                .run(context -> permitsThenRejects(2, context.getBean(TypeWithFinalMethod.class)::limited));
        assertThat(output).containsPattern("TypeWithFinalMethod\\.\\w+\\(\\) limits nothing");
    }

    @Test
    void findsTheAnnotationOnAFinalMethodOfAnInterface() {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("impl", Contract.class, FinalImplementation::new)
                .run(context -> permitsThenRejects(2, context.getBean(Contract.class)::limited));
    }

    @Test
    void findsTheAnnotationAsMetaAnnotation() {
        application.withBean(Composed.class).run(context -> {
            permitsThenRejects(2, context.getBean(Composed.class)::limited);
            permitsThenRejects(3, context.getBean(Composed.class)::other);
        });
    }

    @Test
    void appliesAllRepeatedAnnotations() {
        application.withBean(Repeated.class).run(context -> {
            VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
            Repeated repeated = context.getBean(Repeated.class);
            permitsThenRejects(2, repeated::limited);
            time.advance(Duration.ofSeconds(1));
            permitsThenRejects(1, repeated::limited);
        });
    }

    @Test
    void aTypeGivesEachMethodABucketOfItsOwn() {
        application.withBean(TypeLevel.class).run(context -> {
            TypeLevel type = context.getBean(TypeLevel.class);
            permitsThenRejects(2, type::one);
            permitsThenRejects(2, type::two);
            permitsThenRejects(2, () -> type.two("overloaded"));
            assertThat(type.toString()).isEqualTo(type.toString()).isEqualTo(type.toString());
        });
    }

    @Test
    void methodBeatsType() {
        application
                .withBean(TypeLevel.class)
                .run(context -> permitsThenRejects(3, context.getBean(TypeLevel.class)::own));
    }

    @Test
    void methodsOfOneRuleHaveBucketsOfTheirOwn() {
        application
                .withPropertyValues("limiter.rules.shared.limit=2", "limiter.rules.shared.window=1h")
                .withBean(SharedRule.class)
                .run(context -> {
                    permitsThenRejects(2, context.getBean(SharedRule.class)::one);
                    permitsThenRejects(2, context.getBean(SharedRule.class)::two);
                });
    }

    @Test
    void methodsShareTheBudgetOfARuleIfItsScopeIsTheRule() {
        application
                .withPropertyValues(
                        "limiter.rules.shared.limit=2",
                        "limiter.rules.shared.window=1h",
                        "limiter.rules.shared.scope=rule")
                .withBean(SharedRule.class)
                .run(context -> {
                    permitsThenRejects(2, context.getBean(SharedRule.class)::one);
                    assertThatThrownBy(context.getBean(SharedRule.class)::two)
                            .isInstanceOf(RateLimitExceededException.class);
                });
    }

    @Test
    void theConfigurationWinsAttributeByAttribute() {
        application
                .withPropertyValues("limiter.rules.tuned.limit=1", "tuned.key=#p0")
                .withBean(Tuned.class)
                .run(context -> {
                    Tuned tuned = context.getBean(Tuned.class);
                    permitsThenRejects(1, () -> tuned.limited("alice"));
                    permitsThenRejects(1, () -> tuned.limited("bob"));
                    context.getBean(VirtualTimeSource.class).advance(Duration.ofSeconds(10));
                    permitsThenRejects(1, () -> tuned.limited("bob"));
                });
    }

    @Test
    void conditionAndCostSeeTheArguments() {
        application.withBean(Priced.class).run(context -> {
            Priced priced = context.getBean(Priced.class);
            for (int i = 0; i < 20; i++) {
                priced.limited(0, false);
            }
            priced.limited(7, true);
            assertThatThrownBy(() -> priced.limited(4, true)).isInstanceOf(RateLimitExceededException.class);
            priced.limited(3, true);
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

    @ParameterizedTest
    @ValueSource(
            classes = {
                TypeWithFallback.class,
                TypeWithFallbackForTheException.class,
                TypeWithNamedFallback.class,
                TypeOfAnnotatedInterface.class,
                FallbackOfMethodAndType.class
            })
    void doesNotLimitTheFallbackOfAType(Class<? extends Work> type) {
        application
                .withPropertyValues("fallback.of.type=later")
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotLimitTheFallbackOfAnInterfaceWithEachSortOfProxy(boolean targetClass) {
        application
                .withPropertyValues("spring.aop.proxy-target-class=" + targetClass)
                .withBean("work", Offer.class, TypeOfAnnotatedInterface::new)
                .run(context -> {
                    Offer offer = context.getBean(Offer.class);
                    assertThat(offer.work("a")).isEqualTo("a");
                    assertThat(offer.work("b")).isEqualTo("later b");
                    assertThat(offer.later("c")).isEqualTo(offer.later("c")).isEqualTo("later c");
                });
    }

    @Test
    void limitsTheFallbackOfATypeByItsOwnAnnotation() {
        application.withBean(FallbackWithALimit.class).run(context -> {
            FallbackWithALimit bean = context.getBean(FallbackWithALimit.class);
            assertThat(bean.work()).isEqualTo("work");
            assertThat(bean.work()).isEqualTo("later");
            permitsThenRejects(2, bean::later);
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void doesNotWarnOfAFinalFallback(CapturedOutput output) {
        application.withBean(FinalFallback.class).run(context -> {
            FinalFallback bean = context.getBean(FinalFallback.class);
            assertThat(bean.work()).isEqualTo("work");
            assertThat(bean.work()).isEqualTo("later");
        });
        assertThat(output).doesNotContain("limits nothing");
    }

    @Test
    void limitsAnOverloadThatIsTheFallbackOfNoMethod() {
        application.withBean(OverloadedFallback.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(((LimiterConfigurationException) context.getStartupFailure()).problems())
                    .singleElement()
                    .extracting(Problem::where, Problem::reason)
                    .containsExactly(
                            "fallback of @RateLimiter on " + OverloadedFallback.class.getName() + ".later(int)",
                            "This is the limited method itself: name another one, such as \"laterRejected\"");
        });
    }

    @Test
    void limitsAllMethodsOfATypeWhoseFallbackFitsNone() {
        application.withBean(NoFallbackFits.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasMessageContaining(
                            "fallback of @RateLimiter on " + NoFallbackFits.class.getName() + ".work(int)")
                    .hasMessageContaining("NoFallbackFits needs a method \"int later(int)\"");
        });
    }

    @Test
    void callsTheFallbackOfTheAnnotationThatRejects() {
        application
                .withPropertyValues("limiter.rules.per-hour.limit=2")
                .withBean(FallbackOfEach.class)
                .run(context -> {
                    VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
                    FallbackOfEach bean = context.getBean(FallbackOfEach.class);
                    assertThat(bean.limited()).isEqualTo("limited");
                    assertThat(bean.limited()).isEqualTo("soon");
                    time.advance(Duration.ofSeconds(1));
                    assertThat(bean.limited()).isEqualTo("limited");
                    assertThat(bean.limited()).as("both reject").isEqualTo("soon");
                    time.advance(Duration.ofSeconds(1));
                    assertThat(bean.limited()).isEqualTo("later");
                });
    }

    @Test
    void throwsIfTheAnnotationThatRejectsHasNoFallback() {
        application.withBean(FallbackOfOne.class).run(context -> {
            VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
            FallbackOfOne bean = context.getBean(FallbackOfOne.class);
            assertThat(bean.limited()).isEqualTo("limited");
            assertThat(bean.limited()).isEqualTo("soon");
            time.advance(Duration.ofSeconds(1));
            assertThat(bean.limited()).isEqualTo("limited");
            time.advance(Duration.ofSeconds(1));
            assertThatThrownBy(bean::limited).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void doesNotLimitAnyFallbackOfAType() {
        application.withBean(TypeWithFallbacks.class).run(context -> {
            VirtualTimeSource time = context.getBean(VirtualTimeSource.class);
            TypeWithFallbacks bean = context.getBean(TypeWithFallbacks.class);
            assertThat(bean.work()).isEqualTo("work");
            assertThat(bean.work()).isEqualTo("soon");
            time.advance(Duration.ofSeconds(1));
            assertThat(bean.work()).isEqualTo("later");
            assertThat(bean.soon()).isEqualTo(bean.soon());
            assertThat(bean.later()).isEqualTo(bean.later());
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NoRule        | name         | nowhere | limiter.rules.nowhere",
                "NoFallback    | fallback     | missing | String missing(String)",
                "WrongFallback | fallback     | wrong   | int wrong(int, RateLimitExceededException)",
                "ZeroLimit     | limit        | 0       | 1",
                "NoUnit        | window       | 10      | 10",
                "BadKey        | key          | #{      | #",
                "NoPlaceholder | window       | ${none} | none",
                "EmptyName     | name         | ${none:} | a placeholder gave none",
                "BlankName     | name         | ' '     | a placeholder gave none",
            })
    void mistakesStopTheStart(String type, String attribute, String value, String hint) throws Exception {
        Class<?> bean = Class.forName(LimitedMethodTests.class.getName() + "$" + type);
        application.withBean(bean).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .isInstanceOf(LimiterConfigurationException.class)
                    .hasMessageContaining(attribute + " of @RateLimiter on " + bean.getName() + ".limited(")
                    .hasMessageContaining("\"" + value + "\"")
                    .hasMessageContaining(hint);
        });
    }

    @Test
    void theNameOfTheAutomaticLimitIsTakenWhereThereIsOne() {
        application
                .withBean(NamedDefault.class)
                .run(context -> permitsThenRejects(2, context.getBean(NamedDefault.class)::limited));
        application
                .withPropertyValues("limiter.web.default-limit.limit=5", "limiter.web.default-limit.window=1s")
                .withBean(NamedDefault.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(LimiterConfigurationException.class)
                        .hasMessageContaining("name of @RateLimiter on " + NamedDefault.class.getName() + ".limited(")
                        .hasMessageContaining("\"Default\"")
                        .hasMessageContaining("name of limiter.web.default-limit")
                        .hasMessageContaining("LIM-104"));
    }

    @Test
    void allMistakesAreReportedAtOnce() {
        application
                .withBean(ZeroLimit.class)
                .withBean(NoRule.class)
                .run(context -> assertThat(((LimiterConfigurationException) context.getStartupFailure()).problems())
                        .hasSize(2));
    }

    private static void permitsThenRejects(int permits, Runnable call) {
        for (int i = 0; i < permits; i++) {
            call.run();
        }
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    static class FinalMethod {
        @RateLimiter(limit = 2, window = "1h")
        public final void limited() {}
    }

    static class PrivateMethod {
        @SuppressWarnings("UnusedMethod")
        @RateLimiter(limit = 2, window = "1h")
        private void limited() {}
    }

    static class StaticMethod {
        @RateLimiter(limit = 2, window = "1h")
        public static void limited() {}
    }

    @RateLimiter(limit = 2, window = "1h")
    static class TypeWithFinalMethod {
        public void limited() {}

        public final void free() {}
    }

    static final class FinalImplementation implements Contract {
        @Override
        public final void limited() {}
    }

    static class Plain {
        @RateLimiter(limit = 2, window = "1h")
        public void limited() {}

        public void free() {}
    }

    interface Contract {
        @RateLimiter(limit = 2, window = "1h")
        void limited();
    }

    static class Implementation implements Contract {
        @Override
        public void limited() {}
    }

    static class Overriding extends Plain {
        @Override
        public void limited() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RateLimiter(window = "1h")
    @interface Hourly {

        @AliasFor(annotation = RateLimiter.class, attribute = "limit")
        long value() default 2;
    }

    static class Composed {
        @Hourly
        public void limited() {}

        @Hourly(3)
        public void other() {}
    }

    static class Repeated {
        @RateLimiter(limit = 2, window = "1s")
        @RateLimiter(limit = 3, window = "1h")
        public void limited() {}
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

    static class SharedRule {
        @RateLimiter("shared")
        public void one() {}

        @RateLimiter("shared")
        public void two() {}
    }

    static class Tuned {
        @RateLimiter(name = "tuned", limit = 50, window = "10s", key = "${tuned.key}")
        public void limited(String user) {}
    }

    static class Priced {
        @RateLimiter(limit = 10, window = "1h", cost = "#cost", condition = "#counts")
        public void limited(int cost, boolean counts) {}
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
    }

    interface Work {
        String work(String argument);

        String later(String argument);
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class TypeWithFallback implements Work {
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
    static class TypeWithFallbackForTheException implements Work {
        @Override
        public String work(String argument) {
            return argument;
        }

        @Override
        public String later(String argument) {
            return "later " + argument;
        }

        public String later(String argument, RateLimitExceededException rejection) {
            assertThat(rejection.decision().permitted()).isFalse();
            return later(argument);
        }
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "${fallback.of.type}")
    static class TypeWithNamedFallback extends TypeWithFallback {}

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    interface Offer extends Work {}

    static class TypeOfAnnotatedInterface implements Offer {
        @Override
        public String work(String argument) {
            return argument;
        }

        @Override
        public String later(String argument) {
            return "later " + argument;
        }
    }

    @RateLimiter(limit = 9, window = "1h", fallback = "later")
    static class FallbackOfMethodAndType extends TypeWithFallback {
        @Override
        @RateLimiter(limit = 1, window = "1h", fallback = "later")
        public String work(String argument) {
            return argument;
        }
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class FallbackWithALimit {
        public String work() {
            return "work";
        }

        @RateLimiter(limit = 2, window = "1h")
        public String later() {
            return "later";
        }
    }

    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class FinalFallback {
        public String work() {
            return "work";
        }

        public final String later() {
            return "later";
        }
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

    static class FallbackOfEach {
        @RateLimiter(limit = 1, window = "1s", fallback = "soon")
        @RateLimiter(name = "perHour", limit = 9, window = "1h", fallback = "later")
        public String limited() {
            return "limited";
        }

        String soon() {
            return "soon";
        }

        String later() {
            return "later";
        }
    }

    static class FallbackOfOne {
        @RateLimiter(limit = 1, window = "1s", fallback = "soon")
        @RateLimiter(limit = 2, window = "1h")
        public String limited() {
            return "limited";
        }

        String soon() {
            return "soon";
        }
    }

    @RateLimiter(limit = 1, window = "1s", fallback = "soon")
    @RateLimiter(limit = 1, window = "1h", fallback = "later")
    static class TypeWithFallbacks {
        public String work() {
            return "work";
        }

        public String soon() {
            return "soon";
        }

        public String later() {
            return "later";
        }
    }

    static class NoRule {
        @RateLimiter("nowhere")
        public void limited() {}
    }

    static class NoFallback {
        @RateLimiter(limit = 1, fallback = "missing")
        public String limited(String argument) {
            return argument;
        }
    }

    static class WrongFallback {
        @RateLimiter(limit = 1, fallback = "wrong")
        public int limited(int argument) {
            return argument;
        }

        public String wrong(int argument) {
            return "not an int";
        }
    }

    static class ZeroLimit {
        @RateLimiter(limit = 0)
        public void limited() {}
    }

    static class NoUnit {
        @RateLimiter(limit = 1, window = "10")
        public void limited() {}
    }

    static class BadKey {
        @RateLimiter(limit = 1, key = "#{")
        public void limited() {}
    }

    static class EmptyName {
        @RateLimiter(name = "${none:}", limit = 1)
        public void limited() {}
    }

    static class BlankName {
        @RateLimiter(name = " ", limit = 1)
        public void limited() {}
    }

    static class NamedDefault {
        @RateLimiter(name = "Default", limit = 2, window = "1h")
        public void limited() {}
    }

    static class NoPlaceholder {
        @RateLimiter(limit = 1, window = "${none}")
        public void limited() {}
    }
}
