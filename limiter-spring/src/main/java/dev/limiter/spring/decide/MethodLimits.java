package dev.limiter.spring.decide;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.context.RequestView;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /**
     * Returns what is decided for a handler method before it is called, when its arguments are unknown; null if it has no
     * limits. Only after {@link #isLimited}.
     */
    default @Nullable HandlerCall beforeCall(Method method, Class<?> targetClass, Object target, RequestView request) {
        return null;
    }

    /** Returns the fallback of a limited method of a class, also of an annotation on the class; null if it has none. */
    default @Nullable String fallback(Method method, Class<?> targetClass) {
        return null;
    }

    /** Returns whether the method returns a publisher, so that each subscription is decided. */
    default boolean isReactive(Method method) {
        return false;
    }

    /** The rules of a handler method, and the context in which they decide its call. */
    record HandlerCall(ApplicableRules rules, RuleContexts contexts) {}

    /** Returns whether a method of a class has its own limits. */
    boolean isLimited(Method method, Class<?> targetClass);
}
