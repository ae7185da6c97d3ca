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
import dev.limiter.spring.rule.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.web.util.pattern.PathPatternParser;

/** Compiles the rules of a test without an application. */
public final class TestRules {

    private TestRules() {}

    /**
     * @param mode of all rules
     * @param available the algorithms that there are
     */
    public static RuleCompiler compiler(Mode mode, Set<Algorithm> available) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        LimiterExpressionParser expressions = new LimiterExpressionParser(beans);
        return new RuleCompiler(
                new KeyParser(
                        new KeyAlternatives(beans, expressions, SecretValues.asTheyAre(), AddressSettings.DEFAULT)),
                expressions,
                available,
                new RequestMatcherCompiler(() -> PathPatternParser.defaultInstance),
                mode,
                HeaderStyle.IETF,
                TimeSteps.NANOSECONDS,
                AddressLists.NONE,
                null,
                new LimitResolvers(100, TimeSource.system(), KeyHash.with(null)),
                Caps.NONE);
    }

    /**
     * Rules that can be changed; there are none so far.
     *
     * @param store where changes are kept
     */
    public static LiveRules live(ChangeStore store, TimeSource clock) {
        RuleSetCompiler compiler = new RuleSetCompiler(compiler(Mode.ENFORCE, EnumSet.allOf(Algorithm.class)));
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
}
