package dev.limiter.spring.webflux;

import dev.limiter.spring.edge.Resources;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.ApplicationContext;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** The route of Spring Cloud Gateway that a request takes. Attributes are read by name, because the gateway may be absent. */
final class GatewayRoute {

    private static final String PREFIX = "org.springframework.cloud.gateway.support.ServerWebExchangeUtils.";
    private static final String ROUTE = PREFIX + "gatewayRoute";
    private static final String MATCHED_PATH = PREFIX + "gatewayPredicateMatchedPathAttr";

    private GatewayRoute() {}

    /**
     * Returns the pattern of the route's path predicate within the application, such as {@code /api/**}; null if there
     * is none.
     */
    static @Nullable String pattern(ServerWebExchange exchange) {
        Object matched = exchange.getAttribute(MATCHED_PATH);
        if (matched == null || exchange.getAttribute(ROUTE) == null) {
            return null;
        }
        // the gateway adds the path of the application to its patterns
        String pattern = matched.toString();
        String application = exchange.getRequest().getPath().contextPath().value();
        return pattern.startsWith(application + "/") ? pattern.substring(application.length()) : pattern;
    }

    /** Returns the id of the route; null if the request takes none. */
    static @Nullable String id(ServerWebExchange exchange) {
        Object route = exchange.getAttribute(ROUTE);
        return route == null ? null : RouteId.of(route);
    }

    /** Emits the ids of all routes; only if the gateway is present. */
    static Mono<Set<String>> ids(ApplicationContext application) {
        return RouteId.all(application.getBean(RouteLocator.class));
    }

    /** A class of its own, loaded only if the gateway is present. */
    private static final class RouteId {

        static Mono<Set<String>> all(RouteLocator routes) {
            return routes.getRoutes().map(Route::getId).collect(Collectors.toSet());
        }

        static @Nullable String of(Object route) {
            return route instanceof Route taken ? taken.getId() : null;
        }
    }

    /** Returns the resource of the route, as for rules with paths. */
    static String resource(ServerWebExchange exchange) {
        String pattern = pattern(exchange);
        return pattern == null ? Resources.UNSERVED : Resources.ANY_METHOD + " " + pattern;
    }
}
