package dev.limiter.spring.decide;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Knows which methods have limits of their own. */
@FunctionalInterface
public interface MethodLimits {

    /** Where methods are not limited. */
    MethodLimits NONE = (method, targetClass) -> false;

    /** The methods with limits of their own that were found so far, by their signatures. */
    default List<String> found() {
        return List.of();
    }

    /**
     * The rules of the methods that were found so far, with the settings of a set of rules.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if annotations do not fit these settings
     */
    default List<RateLimitRule> rules(RuleSet ruleSet) {
        return List.of();
    }

    /** The rules of a method when called on an object of that class, in force now. */
    default List<RateLimitRule> rules(Method method, Class<?> targetClass) {
        return List.of();
    }

    /**
     * Returns what is decided for a handler method before it is called, when its arguments are unknown; null if it has no
     * limits. Only after {@link #isLimited}.
     */
    default @Nullable HandlerCall beforeCall(Method method, Class<?> targetClass, Object target, RequestView request) {
        return null;
    }

    /** Returns whether the method returns a publisher, so that each subscription is decided. */
    default boolean isReactive(Method method) {
        return false;
    }

    /** The rules of a handler method, and the context in which they decide its call. */
    record HandlerCall(ApplicableRules rules, RuleContexts contexts) {}

    /** Whether the method has limits of its own when called on an object of that class. */
    boolean isLimited(Method method, Class<?> targetClass);
}
