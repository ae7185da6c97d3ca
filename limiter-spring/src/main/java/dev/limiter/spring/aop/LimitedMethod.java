package dev.limiter.spring.aop;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.rule.RuleName;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A method with its limits, compiled once for each set of rules. Thread-safe. */
final class LimitedMethod {

    private record Compiled(RuleSet ruleSet, List<RateLimitRule> all, ApplicableRules rules) {

        static Compiled of(RuleSet ruleSet, Function<RuleSet, List<RateLimitRule>> compiler) {
            List<RateLimitRule> all = compiler.apply(ruleSet);
            return new Compiled(ruleSet, all, ApplicableRules.of(all));
        }
    }

    private final Method method;
    private final String signature;
    private final String name;
    private final Map<String, Fallback> fallbacks;
    private final Function<RuleSet, List<RateLimitRule>> compiler;
    private volatile Compiled compiled;

    /** {@code fallbacks}: by canonical rule name. */
    LimitedMethod(
            Method method,
            String signature,
            String name,
            Map<String, Fallback> fallbacks,
            Function<RuleSet, List<RateLimitRule>> compiler,
            RuleSet ruleSet) {
        this.method = method;
        this.signature = signature;
        this.name = name;
        this.fallbacks = fallbacks;
        this.compiler = compiler;
        this.compiled = Compiled.of(ruleSet, compiler);
    }

    /** Returns the method of the target class. */
    Method method() {
        return method;
    }

    /** Returns the full signature, which identifies its buckets. */
    String signature() {
        return signature;
    }

    /** Returns the display name {@code Class.method}. */
    String name() {
        return name;
    }

    /** Returns the fallback of the annotation with this rule; null if it has none. */
    @Nullable
    Fallback fallback(String rule) {
        return fallbacks.get(RuleName.canonical(rule));
    }

    /** Returns the method's rules, compiled with a set of rules. */
    List<RateLimitRule> compile(RuleSet ruleSet) {
        Compiled known = compiled;
        return known.ruleSet == ruleSet ? known.all : compiler.apply(ruleSet);
    }

    ApplicableRules rules(RuleSet current) {
        Compiled known = compiled;
        if (known.ruleSet != current) {
            known = Compiled.of(current, compiler);
            compiled = known;
        }
        return known.rules;
    }
}
