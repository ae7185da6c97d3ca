package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleOrigin;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Finds annotated methods that no proxy can intercept, so their annotations limit nothing. */
final class UnproxiedMethods {

    private UnproxiedMethods() {}

    /** Returns whether no proxy can intercept calls of the method on objects of the class. */
    static boolean is(Method method, Class<?> targetClass) {
        return kind(method, ClassUtils.getUserClass(targetClass)) != null;
    }

    /** Returns the finding about a method of a bean; empty if it is not annotated, or if its calls can be limited. */
    static Optional<Finding> finding(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        String kind = kind(method, type);
        return kind == null || !RateLimiterAnnotations.areMeantFor(method, type)
                ? Optional.empty()
                : Optional.of(new Finding(
                        MessageCode.UNREACHABLE_METHOD,
                        RuleOrigin.annotation(LimitedMethods.signature(method, type))
                                + " limits nothing: calls of a " + kind + " method bypass the proxy of its bean."
                                + " Make the method overridable, or annotate a method that calls it."));
    }

    private static @Nullable String kind(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        // A proxy of interfaces can intercept final methods of the class.
        return Modifier.isFinal(modifiers)
                        && ClassUtils.getInterfaceMethodIfPossible(method, type).equals(method)
                ? "final"
                : null;
    }
}
