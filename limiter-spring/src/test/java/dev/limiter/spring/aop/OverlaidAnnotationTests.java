package dev.limiter.spring.aop;

import static dev.limiter.spring.compile.TestRules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.Caps.Cap;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.compile.TestRules;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.rule.Align;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ReflectionUtils;

/** Annotations that share their name with a configured rule, whose settings take precedence one by one. */
class OverlaidAnnotationTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final RuleCompiler compiler =
            TestRules.compiler(new Caps(Map.of("capped", new Cap("limiter.caps.capped", 10, MINUTE))));

    static Stream<Arguments> settingsThatNeedTheAnnotation() {
        return Stream.of(
                arguments(rule("x").set(RuleOptions.RESERVE, "30%"), ReservedForSome.class),
                arguments(limited().set(RuleOptions.RESERVE, "30%"), ReservedForSome.class),
                arguments(rule("x").set(RuleOptions.PRIORITY, "#p0 == 'boss'"), ReservedForSome.class),
                arguments(
                        rule("x").set(RuleOptions.MAX_WAIT, "1s").limit(null, null, Algorithm.FIXED_WINDOW, null, null),
                        ReservedForSome.class),
                arguments(rule("x").set(RuleOptions.PRIORITY, "#p0 == 'boss'"), Waiting.class),
                arguments(
                        rule("x")
                                .limit(null, null, Algorithm.LEAKY_BUCKET, null, null)
                                .warmUp("10s"),
                        Waiting.class),
                arguments(limited().set(RuleOptions.COST, "10"), Bursting.class));
    }

    @ParameterizedTest
    @MethodSource("settingsThatNeedTheAnnotation")
    void areJudgedWithTheSettingsOverThem(RuleDefinition.Builder settings, Class<?> annotated) {
        assertThat(merged(settings, annotated).definition().name())
                .isEqualTo(settings.build().name());
    }

    static Stream<Arguments> origins() {
        return Stream.of(
                arguments(RuleOrigin.source("a change"), "a change"),
                arguments(
                        new ChangeOrigin(),
                        RuleOrigin.annotation(Waiting.class.getName() + ".call(java.lang.String)")
                                .toString()));
    }

    /** A change declares no rule, so the rule is still the one of the annotation. */
    @ParameterizedTest
    @MethodSource("origins")
    void areDeclaredBySettingsUnlessTheseAreChanges(RuleOrigin settings, String origin) {
        RuleDefinition.Builder named = RuleDefinition.builder("x", settings).limit(5L, null, null, null, null);

        assertThat(merged(named, Waiting.class).origin()).isEqualTo(origin);
    }

    static Stream<Arguments> settingsThatTheAnnotationDoesNotComplete() {
        return Stream.of(
                arguments(rule("x").set(RuleOptions.RESERVE, "30%"), "limiter.rules.x.reserve", "LIM-313"),
                arguments(
                        rule("x")
                                .set(RuleOptions.MAX_WAIT, "1s")
                                .limit(null, null, Algorithm.FIXED_WINDOW, null, null)
                                .align(Align.FIRST, null),
                        "limiter.rules.x.max-wait",
                        "LIM-204"),
                arguments(
                        rule("x")
                                .limit(null, null, Algorithm.LEAKY_BUCKET, null, null)
                                .warmUp("10s"),
                        "limiter.rules.x: warmUp is PT10S",
                        "LIM-211"),
                arguments(limited().set(RuleOptions.COST, "30"), "limiter.rules.x.cost", "LIM-209"));
    }

    @ParameterizedTest
    @MethodSource("settingsThatTheAnnotationDoesNotComplete")
    void areRejectedWithSettingsThatNeedMore(RuleDefinition.Builder settings, String where, String code) {
        Rules rules = inForce(settings);

        assertThatThrownBy(() -> merged(rules, Bursting.class))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessageContainingAll(where, code);
    }

    @Test
    void areHeldToTheirCapWithTheSettingsOverThem() {
        Rules rules = inForce(rule("capped").limit(1000L, null, null, null, null));

        assertThatThrownBy(() -> merged(rules, Capped.class)).hasMessageContaining("LIM-317");
    }

    @Test
    void completeSettingsAreHeldToTheirCapByThemselvesBecauseCodeMayNameThem() {
        RuleDefinition.Builder complete = rule("capped").limit(20L, "1h", null, null, null);

        assertThatThrownBy(() -> inForce(complete)).hasMessageContaining("LIM-317");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0ms", "0s", "PT0S"})
    void waitNoMoreWithAZeroOverThem(String maxWait) {
        RuleDefinition.Builder zero = rule("x").set(RuleOptions.MAX_WAIT, maxWait);

        assertThat(merged(zero, Waiting.class).makesWait()).isFalse();
        assertThat(merged(zero, WaitingForSome.class).makesWait()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void waitWithAnyAlgorithmOverThem(Algorithm algorithm) {
        RateLimitRule merged = merged(rule("x").limit(null, null, algorithm, null, null), Waiting.class);

        assertThat(merged.makesWait()).isTrue();
        assertThat(merged.definition().value(RuleOptions.MAX_WAITING)).isEqualTo(5);
    }

    @Test
    void reportAWaitThatNoRequestHas() {
        Rules rules = inForce(
                rule("x").limit(null, null, Algorithm.FIXED_WINDOW, null, null).align(Align.FIRST, null));

        assertThatThrownBy(() -> merged(rules, Waiting.class))
                .hasMessageContainingAll("maxWait of @RateLimiter", "LIM-204");
    }

    @Test
    void haveEitherABurstOrAWarmUp() {
        RuleDefinition.Builder burst = rule("x").limit(null, null, null, 5L, null);

        assertThatThrownBy(() -> limit(burst, WarmingUp.class)).hasMessageContaining("LIM-211");
        assertThat(limit(burst.warmUp("0s"), WarmingUp.class))
                .isEqualTo(Limit.tokenBucket(10, MINUTE).burst(5));
        assertThat(limit(rule("x").limit(null, null, null, 10L, null).warmUp("10s"), Bursting.class))
                .isEqualTo(Limit.tokenBucket(10, MINUTE).warmUp(Duration.ofSeconds(10)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "0ms", "PT0S"})
    void haveNoWarmUpWithAZeroOverThem(String zero) {
        assertThat(limit(rule("x").warmUp(zero), WarmingUp.class)).isEqualTo(Limit.tokenBucket(10, MINUTE));
        assertThat(limit(rule("x").warmUp(zero), Bursting.class))
                .isEqualTo(Limit.tokenBucket(10, MINUTE).burst(20));
    }

    private static RuleDefinition.Builder limited() {
        return rule("x").limit(5L, "1m", null, null, null);
    }

    private Limit limit(RuleDefinition.Builder settings, Class<?> annotated) {
        return merged(settings, annotated).rule().limits().get(0);
    }

    private RateLimitRule merged(RuleDefinition.Builder settings, Class<?> annotated) {
        return merged(inForce(settings), annotated);
    }

    private RateLimitRule merged(Rules rules, Class<?> annotated) {
        Method method = Objects.requireNonNull(ReflectionUtils.findMethod(annotated, "call", String.class));
        return new LimitedMethods(rules, compiler, new StandardEnvironment())
                .rules(method, annotated)
                .get(0);
    }

    private Rules inForce(RuleDefinition.Builder settings) {
        return new Rules(new RuleSetCompiler(compiler)
                .compile(List.of(settings.build()), null, new Setting<>(List.of(), "limiter.web.exclude")));
    }

    static class ReservedForSome {

        @RateLimiter(name = "x", limit = 10, window = "1m", priority = "#p0 == 'vip'", reserve = "20%")
        public void call(String who) {}
    }

    static class Waiting {

        @RateLimiter(name = "x", limit = 10, window = "1m", maxWait = "1s", maxWaiting = 5)
        public void call(String who) {}
    }

    static class WaitingForSome {

        @RateLimiter(name = "x", limit = 10, window = "1m", maxWait = "1s", priority = "#p0 == 'vip'")
        public void call(String who) {}
    }

    static class WarmingUp {

        @RateLimiter(name = "x", limit = 10, window = "1m", warmUp = "10s")
        public void call(String who) {}
    }

    static class Bursting {

        @RateLimiter(name = "x", limit = 10, window = "1m", burst = 20)
        public void call(String who) {}
    }

    static class Capped {

        @RateLimiter(name = "capped", limit = 10, window = "1m", burst = 10)
        public void call(String who) {}
    }
}
