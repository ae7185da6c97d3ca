package dev.limiter.spring.web;

import dev.limiter.Algorithm;
import dev.limiter.TimeSource;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.compile.AddressLists;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.RequestMatcherCompiler;
import dev.limiter.spring.compile.RuleCompiler;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.RuleSetCompiler;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.compile.TimeSteps;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.key.KeyAlternatives;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.SecretValues;
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

/** Compiles rules without an application. */
public final class TestRules {

    private TestRules() {}

    /** Returns a rule of 100 requests a minute for these paths. */
    public static RuleDefinition.Builder rule(String name, String... paths) {
        return RuleDefinition.builder(name, RuleOrigin.property("limiter.rules." + name))
                .limit(100L, "1m", null, null, null)
                .set(RuleOptions.PATHS, paths.length == 0 ? null : List.of(paths));
    }

    public static Rules inForce(RuleDefinition.Builder... rules) {
        return new Rules(ruleSet(null, List.of(), rules));
    }

    /**
     * @param defaultLimit the automatic limit; null if there is none
     * @param excluded the paths that no rule applies to
     */
    public static RuleSet ruleSet(
            RuleDefinition.@Nullable Builder defaultLimit, List<String> excluded, RuleDefinition.Builder... rules) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        LimiterExpressionParser expressions = new LimiterExpressionParser(beans);
        KeyAlternatives keys =
                new KeyAlternatives(beans, expressions, SecretValues.asTheyAre(), AddressSettings.DEFAULT);
        RuleCompiler compiler = new RuleCompiler(
                new KeyParser(keys),
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
        return new RuleSetCompiler(compiler)
                .compile(
                        Stream.of(rules).map(RuleDefinition.Builder::build).toList(),
                        defaultLimit == null ? null : defaultLimit.build(),
                        new Setting<>(excluded, "limiter.web.exclude"));
    }
}
