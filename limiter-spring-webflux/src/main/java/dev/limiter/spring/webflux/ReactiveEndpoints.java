package dev.limiter.spring.webflux;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.decide.MethodLimits.HandlerCall;
import dev.limiter.spring.edge.Endpoint;
import dev.limiter.spring.edge.EndpointCache;
import dev.limiter.spring.edge.Resources;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.resource.ResourceWebHandler;
import org.springframework.web.server.ServerWebExchange;

/** Finds the endpoint of a request. Bounded, thread-safe. */
public final class ReactiveEndpoints {

    private static final String GET = "GET";
    private static final String HEAD = "HEAD";

    /** {@code handler}: see {@link #identity}. */
    private record Route(
            Object handler, String pattern, @Nullable String route, String method) {}

    private final ReactiveMappings mappings;
    private final MethodLimits methodLimits;
    private final boolean staticResources;
    private final EndpointCache<Route> cache;
    private final Rules rules;
    private volatile MethodsOf methods;

    /** {@code staticResources}: whether the automatic limit also applies to requests that no endpoint serves. */
    public ReactiveEndpoints(
            Rules rules, ReactiveMappings mappings, MethodLimits methodLimits, boolean staticResources) {
        this.mappings = mappings;
        this.methodLimits = methodLimits;
        this.staticResources = staticResources;
        this.cache = new EndpointCache<>(rules);
        this.rules = rules;
        this.methods = MethodsOf.UNKNOWN;
    }

    /** Returns the endpoint of a request that was mapped to a handler. */
    Endpoint of(ServerWebExchange exchange, Object handler) {
        String method = Resources.knownMethod(exchange.getRequest().getMethod().name());
        Route route = new Route(identity(handler), pattern(exchange, handler), GatewayRoute.id(exchange), method);
        return cache.get(route, ruleSet -> endpoint(handler, route.pattern, route.route, method, ruleSet));
    }

    private Endpoint endpoint(Object handler, String pattern, @Nullable String route, String method, RuleSet ruleSet) {
        boolean served = !pattern.isEmpty() && !(handler instanceof ResourceWebHandler);
        RateLimitRule defaultLimit = (served || staticResources) && !hasLimits(handler)
                ? ruleSet.defaultLimit().orElse(null)
                : null;
        String resource = served
                ? mappings.declaredMethod(handler, pattern, method.equals(HEAD) ? GET : method) + " " + pattern
                : Resources.UNSERVED;
        return new Endpoint(resource, method, pattern, route, isOfActuator(handler), ruleSet, defaultLimit);
    }

    /** With a set of rules, whether any annotated method may read the user of a request. */
    private record MethodsOf(@Nullable RuleSet ruleSet, boolean mayReadUser) {

        static final MethodsOf UNKNOWN = new MethodsOf(null, false);
    }

    /** Returns whether any annotated method may read the user or the session of a request. */
    boolean methodsMayReadUser() {
        RuleSet current = rules.current();
        MethodsOf known = methods;
        if (known.ruleSet != current) {
            known = new MethodsOf(current, methodLimits.rules(current).stream().anyMatch(RateLimitRule::mayReadUser));
            methods = known;
        }
        return known.mayReadUser;
    }

    /** The rules of the method that handles requests, from annotations. */
    List<RateLimitRule> annotated(Object handler) {
        return handler instanceof HandlerMethod method
                ? methodLimits.rules(method.getMethod(), targetClass(method))
                : List.of();
    }

    /** The call of a limited handler method that returns no publisher; null for all others. */
    @Nullable
    HandlerCall plainCall(Object handler, RequestView request) {
        return handler instanceof HandlerMethod method
                        && hasLimits(handler)
                        && !methodLimits.isReactive(method.getMethod())
                ? methodLimits.beforeCall(method.getMethod(), targetClass(method), method.getBean(), request)
                : null;
    }

    private boolean hasLimits(Object handler) {
        return handler instanceof HandlerMethod method
                && methodLimits.isLimited(method.getMethod(), targetClass(method));
    }

    private static Class<?> targetClass(HandlerMethod handler) {
        return handler.getBean() instanceof String ? handler.getBeanType() : AopUtils.getTargetClass(handler.getBean());
    }

    /** Returns whether an endpoint of Spring Boot Actuator serves requests; its package differs between versions. */
    static boolean isOfActuator(Object handler) {
        return handler instanceof HandlerMethod method
                && method.getBeanType().getName().contains(".actuate.endpoint.web.");
    }

    /** Handlers themselves may be made anew for each request. */
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

    /** The pattern of the mapping or of the gateway route; empty if Spring responds itself. */
    private static String pattern(ServerWebExchange exchange, Object handler) {
        Object mapped = exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        if (mapped != null) {
            return mapped.toString();
        }
        String routed = GatewayRoute.pattern(exchange);
        if (routed != null) {
            return routed;
        }
        // a route need not have a path among its predicates
        return handler instanceof HandlerMethod ? "" : Resources.ALL_PATHS;
    }
}
