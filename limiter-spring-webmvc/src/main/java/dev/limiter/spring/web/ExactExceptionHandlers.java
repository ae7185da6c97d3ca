package dev.limiter.spring.web;

import dev.limiter.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

/**
 * The application's handlers of exactly a {@link RateLimitExceededException}, in the controller or in an advice that
 * applies to it. A catch-all is not meant for rejections, wherever it stands. Invoked as the application has set up the
 * invocation of all its handlers of exceptions.
 */
final class ExactExceptionHandlers extends ExceptionHandlerExceptionResolver {

    private final Map<Class<?>, ExceptionHandlerMethodResolver> byController = new ConcurrentHashMap<>();

    ExactExceptionHandlers(ApplicationContext context) {
        setApplicationContext(context);
        context.getBeansOfType(HandlerExceptionResolver.class).values().stream()
                .flatMap(ExactExceptionHandlers::parts)
                .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                .findFirst()
                .ifPresent(resolver -> invokeAs((ExceptionHandlerExceptionResolver) resolver));
        afterPropertiesSet();
    }

    private static Stream<HandlerExceptionResolver> parts(HandlerExceptionResolver resolver) {
        return resolver instanceof HandlerExceptionResolverComposite composite
                ? composite.getExceptionResolvers().stream()
                : Stream.of(resolver);
    }

    private void invokeAs(ExceptionHandlerExceptionResolver resolver) {
        setMessageConverters(resolver.getMessageConverters());
        setContentNegotiationManager(resolver.getContentNegotiationManager());
        if (resolver.getArgumentResolvers() != null) {
            setArgumentResolvers(resolver.getArgumentResolvers().getResolvers());
        }
        if (resolver.getReturnValueHandlers() != null) {
            setReturnValueHandlers(resolver.getReturnValueHandlers().getHandlers());
        }
    }

    /** Whether one of them answers such a request. */
    boolean existFor(HttpServletRequest request, @Nullable Object handler, Exception exception) {
        return getExceptionHandlerMethod(method(handler), exception, new ServletWebRequest(request)) != null;
    }

    /** The answer of one of them; null if there is none, or it fails. */
    @Nullable
    ModelAndView answer(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        return doResolveHandlerMethodException(request, response, method(handler), exception);
    }

    private static @Nullable HandlerMethod method(@Nullable Object handler) {
        return handler instanceof HandlerMethod method ? method : null;
    }

    @Override
    protected @Nullable ServletInvocableHandlerMethod getExceptionHandlerMethod(
            @Nullable HandlerMethod handler, Exception exception, ServletWebRequest request) {
        List<MediaType> accepted = accepted(request);
        Class<?> controller = handler == null ? null : type(handler);
        if (handler != null) {
            ExceptionHandlerMethodResolver own =
                    byController.computeIfAbsent(type(handler), ExceptionHandlerMethodResolver::new);
            ServletInvocableHandlerMethod exact = exact(own, handler.getBean(), exception, accepted, request);
            if (exact != null) {
                return exact;
            }
        }
        for (Map.Entry<ControllerAdviceBean, ExceptionHandlerMethodResolver> advice :
                getExceptionHandlerAdviceCache().entrySet()) {
            if (advice.getKey().isApplicableToBeanType(controller)) {
                ServletInvocableHandlerMethod exact =
                        exact(advice.getValue(), advice.getKey().resolveBean(), exception, accepted, request);
                if (exact != null) {
                    return exact;
                }
            }
        }
        return null;
    }

    private static Class<?> type(HandlerMethod handler) {
        Class<?> type = handler.getBeanType();
        return Proxy.isProxyClass(type) ? AopUtils.getTargetClass(handler.getBean()) : type;
    }

    /** The media types that the client accepts; all if it says something else than types. */
    private List<MediaType> accepted(ServletWebRequest request) {
        ContentNegotiationManager negotiation = getContentNegotiationManager();
        try {
            return negotiation.resolveMediaTypes(request);
        } catch (HttpMediaTypeNotAcceptableException unreadable) {
            return List.of(MediaType.ALL);
        }
    }

    private @Nullable ServletInvocableHandlerMethod exact(
            ExceptionHandlerMethodResolver handlers,
            Object bean,
            Exception exception,
            List<MediaType> accepted,
            ServletWebRequest request) {
        for (MediaType type : accepted) {
            ExceptionHandlerMappingInfo handler = handlers.resolveExceptionMapping(exception, type);
            if (handler != null && isExact(handler.getHandlerMethod())) {
                if (!handler.getProducibleTypes().isEmpty()) {
                    request.getRequest()
                            .setAttribute(
                                    HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, handler.getProducibleTypes());
                }
                return new ServletInvocableHandlerMethod(bean, handler.getHandlerMethod(), getApplicationContext());
            }
        }
        return null;
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
