package dev.limiter.spring.web;

import dev.limiter.spring.web.route.Endpoints;
import dev.limiter.spring.web.route.HandlerMappings;
import dev.limiter.spring.web.route.ServedPatterns;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;

/**
 * Stands in for the other two interceptors where Spring MVC's configuration does not put them: mappings of WebSockets
 * or of the application itself, applications that extend {@code WebMvcConfigurationSupport}, other servlets. Spring
 * applies it to every mapping, before all other interceptors; actuator endpoints it leaves alone, as well as what does
 * not come through the filters of the application. Thread-safe.
 */
public final class FallbackRateLimitInterceptor implements HandlerInterceptor {

    /** Of one servlet. */
    private static final int MAX_HANDLERS = 10_000;

    private final HandlerMappings mappings;
    private final List<HandlerInterceptor> interceptors;
    /** The answers of {@link #isNeeded} about each handler, by the servlet that has it mapped. */
    private final Map<HandlerMappings.OfServlet, Map<Object, Boolean>> needed = new ConcurrentHashMap<>();

    /** {@code interceptors}: which take the place of this one where they are registered. */
    public FallbackRateLimitInterceptor(HandlerMappings mappings, HandlerInterceptor... interceptors) {
        this.mappings = mappings;
        this.interceptors = List.of(interceptors);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws Exception {
        ServletRequestDecisions decisions = ServletRequestDecisions.of(request);
        if (decisions == null || !decisions.isOwned() || !isNeeded(request, handler)) {
            return true;
        }
        for (HandlerInterceptor interceptor : interceptors) {
            if (!interceptor.preHandle(request, response, handler)) {
                return false;
            }
        }
        return true;
    }

    private boolean isNeeded(HttpServletRequest request, Object handler) {
        boolean ofApplication = handler instanceof HandlerMethod || handler instanceof HandlerFunction;
        if (!ofApplication && CorsUtils.isPreFlightRequest(request)) {
            // made by Spring for this request alone
            return false;
        }
        HandlerMappings.OfServlet servlet = mappings.of(request);
        Map<Object, Boolean> ofServlet = needed.computeIfAbsent(servlet, unknown -> new ConcurrentHashMap<>());
        Object key = ofApplication ? Endpoints.identity(handler) : handler;
        Boolean known = ofServlet.get(key);
        if (known == null) {
            known = !isSprings(handler) && isNeeded(servlet.mappingOf(handler));
            if (ofServlet.size() < MAX_HANDLERS) {
                ofServlet.put(key, known);
            }
        }
        return known;
    }

    private boolean isNeeded(@Nullable AbstractHandlerMapping mapping) {
        if (mapping == null) {
            return true;
        }
        HandlerInterceptor[] registered = mapping.getAdaptedInterceptors();
        return !ServedPatterns.isOfActuator(mapping)
                && (registered == null || !Arrays.asList(registered).containsAll(interceptors));
    }

    /** Such as what answers OPTIONS where the application does not. */
    private static boolean isSprings(Object handler) {
        return handler instanceof HandlerMethod method
                && method.getBeanType().getName().startsWith("org.springframework.web.");
    }
}
