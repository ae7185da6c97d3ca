package dev.limiter.spring.actuate;

import dev.limiter.Algorithm;
import dev.limiter.TimeSource;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.compile.AddressLists;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RequestMatcherCompiler;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.compile.TimeSteps;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.key.KeyAlternatives;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.SecretValues;
import dev.limiter.spring.operate.ChangeStore;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/** Compiles the rules of a test without an application. */
public final class TestRules {

    private static final Setting<List<String>> NOTHING = new Setting<>(List.of(), "limiter.web.exclude");

    private TestRules() {}

    /** Returns a rule as if it were configured under {@code limiter.rules}. */
    public static RuleDefinition.Builder rule(String name) {
        return RuleDefinition.builder(name, RuleOrigin.property("limiter.rules." + name));
    }

    public static RateLimitRule compiled(RuleDefinition.Builder rule) {
        return compiler().compile(rule.build());
    }

    /** Returns rules that can be changed, initially without changes. */
    public static LiveRules live(TimeSource clock, RuleDefinition.Builder... rules) {
        RuleSetCompiler compiler = new RuleSetCompiler(compiler());
        return new LiveRules(
                new Rules(compiler.compile(definitions(rules), null, NOTHING)),
                compiler,
                MethodLimits.NONE,
                null,
                NOTHING,
                ChangeStore.MEMORY,
                clock,
                changed -> {});
    }

    /** Replaces the configured rules. */
    public static void configure(LiveRules live, RuleDefinition.Builder... rules) {
        live.configure(definitions(rules), null, NOTHING);
    }

    private static List<RuleDefinition> definitions(RuleDefinition.Builder... rules) {
        return Stream.of(rules).map(RuleDefinition.Builder::build).toList();
    }

    private static RuleCompiler compiler() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        LimiterExpressionParser expressions = new LimiterExpressionParser(beans);
        return new RuleCompiler(
                new KeyParser(
                        new KeyAlternatives(beans, expressions, SecretValues.asTheyAre(), AddressSettings.DEFAULT)),
                expressions,
                EnumSet.allOf(Algorithm.class),
                new RequestMatcherCompiler(() -> PathPatternParser.defaultInstance),
                Mode.ENFORCE,
                HeaderStyle.IETF,
                TimeSteps.NANOSECONDS,
                AddressLists.NONE,
                null,
                new LimitResolvers(100, TimeSource.system(), KeyHash.with(null)),
                Caps.NONE);
    }
}
