package dev.limiter.spring.decide;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import java.lang.reflect.Method;
import java.util.List;

/** Provides the limits of annotated methods. */
@FunctionalInterface
public interface MethodLimits {

    /** For applications without limited methods. */
    MethodLimits NONE = (method, targetClass) -> false;

    /** Returns the signatures of the limited methods that were found so far. */
    default List<String> found() {
        return List.of();
    }

    /**
     * Returns the rules of all methods that were found so far, compiled with a set of rules.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if annotations do not fit these settings
     */
    default List<RateLimitRule> rules(RuleSet ruleSet) {
        return List.of();
    }

    /** Returns the current rules of a method of a class. */
    default List<RateLimitRule> rules(Method method, Class<?> targetClass) {
        return List.of();
    }

    /** Returns whether a method of a class has its own limits. */
    boolean isLimited(Method method, Class<?> targetClass);
}
