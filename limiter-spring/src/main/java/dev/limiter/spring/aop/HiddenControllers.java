package dev.limiter.spring.aop;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleOrigin;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Controller;
import org.springframework.util.ReflectionUtils;

/** Controllers behind a proxy of their interfaces, by which Spring MVC does not recognize them. */
final class HiddenControllers {

    private HiddenControllers() {}

    /**
     * The warning about a bean with limited methods; empty if Spring MVC finds its endpoints.
     *
     * @param bean the type of the bean as others see it; null if that is unknown
     * @param type the class behind it
     */
    static Optional<Finding> finding(@Nullable Class<?> bean, Class<?> type) {
        boolean hidden = bean != null
                && Proxy.isProxyClass(bean)
                && !isController(bean)
                && isController(type)
                && hasEndpoints(type);
        return hidden
                ? Optional.of(new Finding(
                        MessageCode.HIDDEN_CONTROLLER,
                        RuleOrigin.annotation(type.getName())
                                + " or its methods: its endpoints answer 404, since the bean is a proxy of its"
                                + " interfaces, of which Spring MVC sees no controller. Leave"
                                + " spring.aop.proxy-target-class as it is, write the limits as rules with paths, or"
                                + " move @Controller and the mappings to the interface."))
                : Optional.empty();
    }

    private static boolean isController(Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
    }

    private static boolean hasEndpoints(Class<?> type) {
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (RateLimiterAnnotations.isEndpoint(method)) {
                return true;
            }
        }
        return false;
    }
}
