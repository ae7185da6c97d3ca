package dev.limiter.spring.web.route;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.edge.Endpoint;
import dev.limiter.spring.edge.EndpointCache;
import dev.limiter.spring.edge.Resources;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.resource.DefaultServletHttpRequestHandler;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/**
 * Finds the endpoint of a request. Caches endpoints until the rules change; values from clients do not enlarge the
 * cache. Thread-safe.
 */
public final class Endpoints {

    private static final String GET = "GET";
    private static final String HEAD = "HEAD";

    /** A route; {@code handler}: a result of {@link #identity}. */
    private record Route(
            Object handler, String pattern, @Nullable String gatewayRoute, String method) {}

    private final Rules rules;
    private final HandlerMappings mappings;
    private final MethodLimits methodLimits;
    private final boolean staticResources;
    private final EndpointCache<Route> cache;

    /** {@code staticResources}: true if the automatic limit also applies to requests without an endpoint. */
    public Endpoints(Rules rules, HandlerMappings mappings, MethodLimits methodLimits, boolean staticResources) {
        this.rules = rules;
        this.mappings = mappings;
        this.methodLimits = methodLimits;
        this.staticResources = staticResources;
        this.cache = new EndpointCache<>(rules);
    }

    /** Returns the endpoint of a request that was mapped to a handler. */
    public Endpoint of(HttpServletRequest request, Object handler) {
        String gatewayRoute = rules.current().needsRoutes() ? mappings.gateway.idOf(request, handler) : null;
        Route route = new Route(
                identity(handler), pattern(request, handler), gatewayRoute, Resources.knownMethod(request.getMethod()));
        return cache.get(route, ruleSet -> endpoint(mappings.of(request), handler, route, ruleSet));
    }

    private Endpoint endpoint(HandlerMappings.OfServlet servlet, Object handler, Route route, RuleSet ruleSet) {
        String pattern = route.pattern;
        String method = route.method;
        boolean served = !pattern.isEmpty() && !isStatic(handler);
        RateLimitRule defaultLimit = (served || staticResources) && !hasLimits(handler)
                ? ruleSet.defaultLimit().orElse(null)
                : null;
        // HEAD is a GET without a body.
        String declared =
                served ? DeclaredMethods.of(servlet, handler, pattern, method.equals(HEAD) ? GET : method) : "";
        String resource = served ? declared + " " + pattern : Resources.UNSERVED;
        return new Endpoint(
                resource, method, pattern, route.gatewayRoute, isOfActuator(handler), ruleSet, defaultLimit);
    }

    /** Returns the rules of the annotations on a handler method. */
    public List<RateLimitRule> annotated(Object handler) {
        return handler instanceof HandlerMethod method
                ? methodLimits.rules(method.getMethod(), targetClass(method))
                : List.of();
    }

    private boolean hasLimits(Object handler) {
        return handler instanceof HandlerMethod method
                && methodLimits.isLimited(method.getMethod(), targetClass(method));
    }

    private static Class<?> targetClass(HandlerMethod handler) {
        return handler.getBean() instanceof String ? handler.getBeanType() : AopUtils.getTargetClass(handler.getBean());
    }

    /** Returns whether the handler is an endpoint of Spring Boot Actuator. Its package differs between versions. */
    private static boolean isOfActuator(Object handler) {
        return handler instanceof HandlerMethod method
                && method.getBeanType().getName().contains(".actuate.endpoint.web.");
    }

    /** Returns an object that identifies a handler, which itself may be created for each request. */
    private static Object identity(Object handler) {
        if (handler instanceof HandlerMethod method) {
            Method mapped = method.getMethod();
            return mapped.getDeclaringClass() == method.getBeanType()
                    ? mapped
                    : new BeanMethod(mapped, method.getBeanType());
        }
        return handler instanceof HandlerFunction ? HandlerFunction.class : handler.getClass();
    }

    private record BeanMethod(Method method, Class<?> beanType) {}

    private static boolean isStatic(Object handler) {
        return handler instanceof ResourceHttpRequestHandler || handler instanceof DefaultServletHttpRequestHandler;
    }

    /** Returns the pattern of the mapping; empty if Spring itself writes the response. */
    private String pattern(HttpServletRequest request, Object handler) {
        Object attribute = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        String pattern = attribute == null ? "" : attribute.toString();
        if (handler instanceof HandlerMethod || CorsUtils.isPreFlightRequest(request)) {
            return pattern;
        }
        if (handler instanceof HandlerFunction) {
            // a route need not have a path among its predicates
            return pattern.isEmpty() ? Resources.ALL_PATHS : pattern;
        }
        // The catch-all handler of a mapping ("/*") has each URL as its pattern, and another mapping may have none.
        return pattern.isEmpty() || !mappings.of(request).isPattern(pattern) ? Resources.ALL_PATHS : pattern;
    }
}
