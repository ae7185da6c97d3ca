package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.TimeSource;
import dev.limiter.spring.address.AddressSettings;
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
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/** Creates and compiles rules without an application. */
public final class TestRules {

    private TestRules() {}

    /** Returns a rule with the origin of a property below {@code limiter.rules}. */
    public static RuleDefinition.Builder rule(String name) {
        return RuleDefinition.builder(name, RuleOrigin.property("limiter.rules." + name));
    }

    /** Returns a rule of 100 requests a minute with a key. */
    public static RuleDefinition.Builder keyed(String name, String key) {
        return rule(name).limit(100L, "1m", null, null, null).set(RuleOptions.KEY, List.of(key));
    }

    public static RateLimitRule compiled(RuleDefinition.Builder rule) {
        return compiled(rule.build());
    }

    public static RateLimitRule compiled(RuleDefinition rule) {
        return compiler(SecretValues.asTheyAre()).compile(rule);
    }

    /** Returns compiled rules. */
    public static Rules inForce(RuleDefinition.Builder... rules) {
        return inForceBeside(null, rules);
    }

    /** Returns compiled rules; {@code defaultLimit}: the automatic limit, null if there is none. */
    public static Rules inForceBeside(RuleDefinition.@Nullable Builder defaultLimit, RuleDefinition.Builder... rules) {
        return new Rules(new RuleSetCompiler(compiler(SecretValues.asTheyAre()))
                .compile(
                        Stream.of(rules).map(RuleDefinition.Builder::build).toList(),
                        defaultLimit == null ? null : defaultLimit.build(),
                        new Setting<>(List.of(), "limiter.web.exclude")));
    }

    /** Returns rules that can be changed, initially none; {@code store}: stores the changes. */
    public static LiveRules live(ChangeStore store) {
        return live(store, () -> 0, Caps.NONE);
    }

    /** Returns rules that can be changed, initially none; {@code clock}: ends changes. */
    public static LiveRules live(ChangeStore store, TimeSource clock, Caps caps) {
        RuleSetCompiler compiler = new RuleSetCompiler(compiler(SecretValues.asTheyAre(), clock, caps));
        Setting<List<String>> excluded = new Setting<>(List.of(), "limiter.web.exclude");
        return new LiveRules(
                new Rules(compiler.compile(List.of(), null, excluded)),
                compiler,
                MethodLimits.NONE,
                null,
                excluded,
                store,
                clock,
                changed -> {});
    }

    /** Returns a compiler; {@code secrets}: encodes secret values in keys. */
    public static RuleCompiler compiler(SecretValues secrets) {
        return compiler(secrets, TimeSource.system(), Caps.NONE);
    }

    public static RuleCompiler compiler(Caps caps) {
        return compiler(SecretValues.asTheyAre(), TimeSource.system(), caps);
    }

    private static RuleCompiler compiler(SecretValues secrets, TimeSource clock, Caps caps) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        LimiterExpressionParser expressions = new LimiterExpressionParser(beans);
        return new RuleCompiler(
                new KeyParser(new KeyAlternatives(beans, expressions, secrets, AddressSettings.DEFAULT)),
                expressions,
                EnumSet.allOf(Algorithm.class),
                new RequestMatcherCompiler(() -> PathPatternParser.defaultInstance),
                Mode.ENFORCE,
                HeaderStyle.IETF,
                TimeSteps.NANOSECONDS,
                AddressLists.NONE,
                null,
                new LimitResolvers(100, clock, KeyHash.with(null)),
                caps);
    }
}
