package dev.limiter.spring.web;

import dev.limiter.spring.decide.NamedRules;
import dev.limiter.spring.web.route.Endpoints;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.server.mvc.config.FilterProperties;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.config.RouteProperties;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.ModelAndViewDefiningException;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Decides the rules that routes of Spring Cloud Gateway name by {@link LimiterFilterFunctions}. Checks at startup that
 * the rules of configured routes exist. Thread-safe.
 */
public final class GatewayRouteFilter implements SmartInitializingSingleton {

    private final NamedRules rules;
    private final ServletCurrentRequest requests;
    private final Endpoints endpoints;
    private final RequestGate gate;
    private final ObjectProvider<GatewayMvcProperties> configuration;

    public GatewayRouteFilter(
            NamedRules rules,
            ServletCurrentRequest requests,
            Endpoints endpoints,
            RequestGate gate,
            ObjectProvider<GatewayMvcProperties> configuration) {
        this.rules = rules;
        this.requests = requests;
        this.endpoints = endpoints;
        this.gate = gate;
        this.configuration = configuration;
    }

    /** @throws dev.limiter.spring.failure.LimiterConfigurationException if a route names a rule that cannot limit it */
    @Override
    public void afterSingletonsInstantiated() {
        configuration.ifAvailable(properties -> {
            properties.getRoutes().forEach(route -> check(String.valueOf(route.getId()), route));
            properties.getRoutesMap().forEach(this::check);
        });
    }

    private void check(String route, RouteProperties properties) {
        properties.getFilters().stream()
                .filter(filter -> "limiter".equalsIgnoreCase(filter.getName()))
                .map(FilterProperties::getArgs)
                .flatMap(arguments -> arguments.values().stream())
                .forEach(rule -> rules.get(rule, "The filter Limiter of the route " + route));
    }

    ServerResponse filter(String rule, ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
        HttpServletRequest servletRequest = request.servletRequest();
        ServletRequestDecisions bound = requests.get();
        // a circuit breaker may call its backend on another thread
        ServletRequestDecisions decisions =
                bound != null ? bound : Objects.requireNonNull(ServletRequestDecisions.of(servletRequest));
        boolean permitted = gate.permits(
                rules.get(rule, "The filter Limiter of a route").applicable().without(decisions.rules()),
                endpoints.of(servletRequest, next).resource(),
                decisions,
                servletRequest,
                decisions.response());
        return permitted && !decisions.isWaiting() ? next.handle(request) : new Settled(permitted);
    }

    /**
     * The response to a request that is rejected or waits, written outside of the other filters. To them it is a success,
     * so that none of them repeats it or counts it as a failure of the backend.
     */
    private final class Settled implements ServerResponse {

        private final boolean waiting;
        private final HttpHeaders headers = new HttpHeaders();
        private final MultiValueMap<String, Cookie> cookies = new LinkedMultiValueMap<>();

        Settled(boolean waiting) {
            this.waiting = waiting;
        }

        @Override
        public HttpStatusCode statusCode() {
            return HttpStatus.OK;
        }

        /** Removed in Spring Framework 7, hence without {@code @Override}. */
        @SuppressWarnings("removal")
        public int rawStatusCode() {
            return statusCode().value();
        }

        @Override
        public HttpHeaders headers() {
            return headers;
        }

        @Override
        public MultiValueMap<String, Cookie> cookies() {
            return cookies;
        }

        @Override
        public @Nullable ModelAndView writeTo(HttpServletRequest request, HttpServletResponse response, Context context)
                throws ModelAndViewDefiningException {
            if (waiting) {
                gate.suspend(request, response);
            }
            return null;
        }
    }
}
