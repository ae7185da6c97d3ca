package dev.limiter.spring.web;

import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.cloud.gateway.server.mvc.common.Shortcut;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Filters for routes of Spring Cloud Gateway server-webmvc. */
public final class LimiterFilterFunctions {

    private LimiterFilterFunctions() {}

    /**
     * The filter {@code Limiter=orders} of a route: its requests take a permit of the rule, unless the rule has already
     * counted them. Repeated attempts are not charged again. Rejected requests never reach the backend. Thread-safe;
     * requests that wait hold no thread. Permits everything with {@code limiter.enabled: false}.
     *
     * @param rule the name of a rule in {@code limiter.rules}
     */
    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> limiter(String rule) {
        return (request, next) -> {
            GatewayRouteFilter limits = MvcUtils.getApplicationContext(request)
                    .getBeanProvider(GatewayRouteFilter.class)
                    .getIfAvailable();
            return limits == null ? next.handle(request) : limits.filter(rule, request, next);
        };
    }
}
