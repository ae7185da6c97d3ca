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
 * Registers reflection hints for native images: for limited methods, for their fallbacks, and for the argument and
 * result types that expressions use.
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
            registerType(argument, hints);
        }
        registerType(method.getGenericReturnType(), hints);
        annotations.forEach(annotation -> fallback(annotation.fallback(), type, hints));
    }

    /** Registers a type, so that expressions can use its methods and properties. */
    private void registerType(Type type, ReflectionHints hints) {
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
