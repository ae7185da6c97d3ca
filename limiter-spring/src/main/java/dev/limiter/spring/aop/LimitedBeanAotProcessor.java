package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.RateLimiter;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers what the limits of a bean reach by reflection, for native images: the limited methods, the types that
 * expressions see as their arguments and results, and their fallbacks.
 */
final class LimitedBeanAotProcessor implements BeanRegistrationAotProcessor {

    private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        if (!RateLimiterAnnotations.mayBeOn(type)) {
            return null;
        }
        Map<Method, List<RateLimiter>> limited = RateLimiterAnnotations.of(type);
        return limited.isEmpty()
                ? null
                : (context, code) -> limited.forEach((method, annotations) -> register(
                        method, type, annotations, context.getRuntimeHints().reflection()));
    }

    private void register(Method method, Class<?> type, List<RateLimiter> annotations, ReflectionHints hints) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        for (Type argument : method.getGenericParameterTypes()) {
            visible(argument, hints);
        }
        visible(method.getGenericReturnType(), hints);
        annotations.forEach(annotation -> fallback(annotation.fallback(), type, hints));
    }

    /** Expressions may call methods of what they see, and read properties of what those give. */
    private void visible(Type type, ReflectionHints hints) {
        Class<?> seen = ResolvableType.forType(type).toClass();
        if (seen != void.class && seen != Object.class && !ClassUtils.isPrimitiveOrWrapper(seen)) {
            hints.registerType(seen, MemberCategory.INVOKE_PUBLIC_METHODS);
            properties.registerReflectionHints(hints, type);
        }
    }

    private static void fallback(String name, Class<?> type, ReflectionHints hints) {
        ReflectionUtils.doWithMethods(
                type,
                method -> hints.registerMethod(method, ExecutableMode.INVOKE),
                method -> method.getName().equals(name));
    }
}
