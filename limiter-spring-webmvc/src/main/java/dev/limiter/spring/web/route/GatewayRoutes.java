package dev.limiter.spring.web.route;

import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * The routes of Spring Cloud Gateway server-webmvc. The gateway stores the id of a route only when its handler runs, so
 * the routes are asked again for the request. Needs no class of the gateway. Thread-safe.
 */
final class GatewayRoutes {

    private static final String BEAN = "gatewayCompositeRouterFunction";
    private static final String BY_ID = "gatewayRouterFunctions";

    /** Set by a route that is asked. */
    private static final String MATCHING_PATTERN = RouterFunctions.class.getName() + ".matchingPattern";

    private final Supplier<Map<String, RouterFunction<?>>> routes;

    GatewayRoutes(ApplicationContext application) {
        this.routes = SingletonSupplier.of(() -> find(application));
    }

    private static Map<String, RouterFunction<?>> find(ApplicationContext application) {
        Map<String, RouterFunction<?>> found = new LinkedHashMap<>();
        if (application.containsBean(BEAN)) {
            application.getBean(BEAN, RouterFunction.class).accept(new Finder(found));
        }
        return found;
    }

    boolean exist() {
        return !routes.get().isEmpty();
    }

    /** Returns the id of the route that the request takes; null if it takes none. */
    @Nullable
    String idOf(HttpServletRequest request, Object handler) {
        if (!(handler instanceof HandlerFunction)
                || !(request.getAttribute(RouterFunctions.REQUEST_ATTRIBUTE) instanceof ServerRequest routed)) {
            return null;
        }
        Object pattern = request.getAttribute(MATCHING_PATTERN);
        try {
            return routes.get().entrySet().stream()
                    .filter(route -> route.getValue().route(routed).isPresent())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(null);
        } finally {
            request.setAttribute(MATCHING_PATTERN, pattern);
        }
    }

    /** Collects the routes by their ids. */
    private record Finder(Map<String, RouterFunction<?>> found) implements RouterFunctions.Visitor {

        @Override
        public void attributes(Map<String, Object> attributes) {
            if (attributes.get(BY_ID) instanceof Map<?, ?> byId) {
                byId.forEach((id, route) -> {
                    if (route instanceof RouterFunction<?> function) {
                        found.put(id.toString(), function);
                    }
                });
            }
        }

        @Override
        public void startNested(RequestPredicate predicate) {}

        @Override
        public void endNested(RequestPredicate predicate) {}

        @Override
        public void route(RequestPredicate predicate, HandlerFunction<?> handler) {}

        @Override
        public void resources(Function<ServerRequest, Optional<Resource>> lookup) {}

        @Override
        public void unknown(RouterFunction<?> function) {}
    }
}
