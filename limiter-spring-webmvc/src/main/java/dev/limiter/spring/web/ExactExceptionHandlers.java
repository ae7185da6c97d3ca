package dev.limiter.spring.web;

import dev.limiter.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * Finds the application's {@link ExceptionHandler} methods for exactly {@link RateLimitExceededException}, in the
 * controller or in an advice that applies to it. Catch-all handlers are ignored. Thread-safe.
 */
final class ExactExceptionHandlers {

    private static final MethodFilter EXACT = ExactExceptionHandlers::isExact;

    private final List<ControllerAdviceBean> advices;
    private final @Nullable ExceptionHandlerExceptionResolver resolver;
    private final Map<Class<?>, Optional<Method>> exact = new ConcurrentHashMap<>();

    ExactExceptionHandlers(ApplicationContext context) {
        this.advices = ControllerAdviceBean.findAnnotatedBeans(context);
        this.resolver = context.getBeansOfType(HandlerExceptionResolver.class).values().stream()
                .flatMap(ExactExceptionHandlers::parts)
                .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                .map(ExceptionHandlerExceptionResolver.class::cast)
                .findFirst()
                .orElse(null);
    }

    private static Stream<HandlerExceptionResolver> parts(HandlerExceptionResolver resolver) {
        return resolver instanceof HandlerExceptionResolverComposite composite
                ? composite.getExceptionResolvers().stream()
                : Stream.of(resolver);
    }

    /** Returns the method that handles rejections of a handler; null if there is none. */
    @Nullable
    HandlerMethod find(@Nullable Object handler) {
        Class<?> controller = null;
        if (handler instanceof HandlerMethod method) {
            controller = method.getBean() instanceof String
                    ? method.getBeanType()
                    : AopUtils.getTargetClass(method.getBean());
            if (exact(controller).isPresent()) {
                return method;
            }
        }
        for (ControllerAdviceBean advice : advices) {
            Class<?> type = advice.getBeanType();
            Optional<Method> method =
                    type == null || !advice.isApplicableToBeanType(controller) ? Optional.empty() : exact(type);
            if (method.isPresent()) {
                return new HandlerMethod(advice.resolveBean(), method.get());
            }
        }
        return null;
    }

    /**
     * Returns the result of the application's own resolver, which calls the method that was {@linkplain #find found}.
     * Null if the method fails, or is for another media type.
     */
    @Nullable
    ModelAndView handle(
            HandlerMethod found,
            HttpServletRequest request,
            HttpServletResponse response,
            RateLimitExceededException rejection) {
        return resolver == null ? null : resolver.resolveException(request, response, found, rejection);
    }

    private Optional<Method> exact(Class<?> type) {
        return exact.computeIfAbsent(
                type,
                unknown ->
                        MethodIntrospector.selectMethods(type, EXACT).stream().findFirst());
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
