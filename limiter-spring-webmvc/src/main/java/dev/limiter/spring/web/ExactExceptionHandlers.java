package dev.limiter.spring.web;

import dev.limiter.RateLimitExceededException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;

/**
 * Whether the application answers a {@link RateLimitExceededException} itself: only where a controller, or an advice
 * that applies to it, has a handler of exactly this exception. A catch-all is not meant for rejections.
 */
final class ExactExceptionHandlers {

    private static final MethodFilter EXACT = ExactExceptionHandlers::isExact;

    private final ApplicationContext context;
    private final Map<Class<?>, Boolean> byController = new ConcurrentHashMap<>();
    private volatile @Nullable List<ControllerAdviceBean> advice;

    ExactExceptionHandlers(ApplicationContext context) {
        this.context = context;
    }

    boolean existFor(@Nullable Object handler) {
        if (handler instanceof HandlerMethod method) {
            return byController.computeIfAbsent(method.getBeanType(), type -> declares(type) || advised(type));
        }
        return advised(null);
    }

    private boolean advised(@Nullable Class<?> controller) {
        List<ControllerAdviceBean> exact = advice;
        if (exact == null) {
            exact = ControllerAdviceBean.findAnnotatedBeans(context).stream()
                    .filter(bean -> bean.getBeanType() != null && declares(bean.getBeanType()))
                    .toList();
            advice = exact;
        }
        return exact.stream().anyMatch(bean -> bean.isApplicableToBeanType(controller));
    }

    private static boolean declares(Class<?> type) {
        return !MethodIntrospector.selectMethods(type, EXACT).isEmpty();
    }

    private static boolean isExact(Method method) {
        ExceptionHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        if (handler == null) {
            return false;
        }
        Class<?>[] exceptions = handler.exception().length > 0 ? handler.exception() : method.getParameterTypes();
        return Arrays.asList(exceptions).contains(RateLimitExceededException.class);
    }
}
