package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleOrigin;
import java.lang.reflect.Method;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Annotated methods that make a bean: calls of that bean are another matter. */
final class FactoryMethods {

    private FactoryMethods() {}

    static boolean is(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class);
    }

    /** The warning about a method of a bean; empty if it makes none, or is not annotated itself. */
    static Optional<Finding> finding(Method method, Class<?> type) {
        return is(method) && RateLimiterAnnotations.areOn(method)
                ? Optional.of(new Finding(
                        MessageCode.FACTORY_METHOD,
                        RuleOrigin.annotation(LimitedMethods.signature(method, ClassUtils.getUserClass(type)))
                                + " limits no call of that bean, only how often it is made. Annotate "
                                + method.getReturnType().getSimpleName()
                                + " or its methods, or ask RateLimiters where they are called."))
                : Optional.empty();
    }
}
