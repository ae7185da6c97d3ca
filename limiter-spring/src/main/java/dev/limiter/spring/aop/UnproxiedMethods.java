package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleOrigin;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Annotated methods whose calls pass the proxy by: what is written on them limits nothing. */
final class UnproxiedMethods {

    private UnproxiedMethods() {}

    /** Whether no proxy can intercept calls of the method on objects of that class. */
    static boolean is(Method method, Class<?> targetClass) {
        return kind(method, ClassUtils.getUserClass(targetClass)) != null;
    }

    /** The warning about a method of a bean; empty if it is not annotated itself, or its calls can be limited. */
    static Optional<Finding> finding(Method method, Class<?> targetClass) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        String kind = kind(method, type);
        return kind == null || !RateLimiterAnnotations.areMeantFor(method, type)
                ? Optional.empty()
                : Optional.of(new Finding(
                        MessageCode.UNREACHABLE_METHOD,
                        RuleOrigin.annotation(LimitedMethods.signature(method, type))
                                + " limits nothing: calls of a "
                                + kind
                                + " method do not go through the proxy of its bean. Make the method one that can be"
                                + " overridden, or annotate one that calls it."));
    }

    private static @Nullable String kind(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isStatic(modifiers)) {
            return "static";
        }
        // A proxy of interfaces has final methods of the class, too.
        return Modifier.isFinal(modifiers)
                        && ClassUtils.getInterfaceMethodIfPossible(method, type).equals(method)
                ? "final"
                : null;
    }
}
