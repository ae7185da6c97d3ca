package dev.limiter.spring.webflux;

import dev.limiter.RateLimiters;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.edge.ArrivingRequest;
import dev.limiter.spring.edge.RequestExplanation;
import dev.limiter.spring.operate.ExplainedRule;
import dev.limiter.spring.operate.Explanation;
import dev.limiter.spring.operate.RequestDescription;
import dev.limiter.spring.operate.RequestExplainer;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.DefaultServerWebExchange;
import org.springframework.web.server.i18n.AcceptHeaderLocaleContextResolver;
import org.springframework.web.server.session.DefaultWebSessionManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Explains a request to WebFlux: routes it by the mappings of the application, and looks for its rules where the filter,
 * the handler adapter and the handler method find them. Blocks the caller, but no event loop: a thread of its own waits
 * for the mappings. Thread-safe.
 */
public final class ExchangeExplainer implements RequestExplainer {

    private final Rules rules;
    private final ReactiveMappings mappings;
    private final ReactiveEndpoints endpoints;
    private final ClientAddresses addresses;
    private final RateLimiters limiters;
    private final ServerRejections rejections;
    private final @Nullable ServerResourceResolver resources;
    private final String prefix;

    /** {@code prefix}: the path of the application, such as {@code /shop}, or empty. */
    public ExchangeExplainer(
            Rules rules,
            ReactiveMappings mappings,
            ReactiveEndpoints endpoints,
            ClientAddresses addresses,
            RateLimiters limiters,
            ServerRejections rejections,
            @Nullable ServerResourceResolver resources,
            String prefix) {
        this.rules = rules;
        this.mappings = mappings;
        this.endpoints = endpoints;
        this.addresses = addresses;
        this.limiters = limiters;
        this.rejections = rejections;
        this.resources = resources;
        this.prefix = prefix;
    }

    @Override
    public Explanation explain(RequestDescription asked) {
        RequestDescription described = asked.below(prefix);
        ExchangeUser user = user(described);
        ServerWebExchange exchange = exchange(new DescribedRequest(described, prefix), user);
        return RequestExplanation.onOwnThread(() -> explain(exchange, user));
    }

    private static ExchangeUser user(RequestDescription asked) {
        Principal principal = asked.principal() == null ? null : asked::principal;
        return new ExchangeUser(
                principal,
                null,
                role -> asked.roles().contains(role) || asked.roles().contains("ROLE_" + role));
    }

    private static ServerWebExchange exchange(DescribedRequest request, ExchangeUser user) {
        return new DefaultServerWebExchange(
                        request,
                        new DescribedResponse(),
                        new DefaultWebSessionManager(),
                        ServerCodecConfigurer.create(),
                        new AcceptHeaderLocaleContextResolver())
                .mutate()
                .principal(Mono.justOrEmpty(user.principal()))
                .build();
    }

    private Explanation explain(ServerWebExchange exchange, ExchangeUser user) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        RuleSet ruleSet = rules.current();
        ArrivingRequest arriving = rejections.isPreflight(exchange)
                ? ArrivingRequest.UNLIMITED
                : ArrivingRequest.of(exchange.getRequest().getMethod().name(), List.of(path), ruleSet);
        RequestExplanation explanation = new RequestExplanation(
                new ExchangeView(exchange, addresses, user),
                path,
                ruleSet,
                arriving,
                resource -> resources == null ? resource : resources.resolve(exchange, resource),
                limiters);
        List<ExplainedRule> early = explanation.early();
        Object handler = route(exchange);
        String unlimited = unlimited(exchange, handler);
        if (handler == null || unlimited != null) {
            return explanation.unlimited(early, String.valueOf(unlimited));
        }
        return explanation.limited(
                early,
                endpoints.of(exchange, handler),
                handler,
                handler instanceof HandlerMethod method ? method.getMethod() : null,
                endpoints.annotated(handler));
    }

    /** Routes a request as Spring does; null if no handler is for it, also for its method or media type. */
    private @Nullable Object route(ServerWebExchange exchange) {
        try {
            return Flux.fromIterable(mappings.all())
                    .concatMap(mapping -> mapping.getHandler(exchange))
                    .next()
                    .block();
        } catch (ResponseStatusException unserved) {
            return null;
        } catch (RuntimeException failure) {
            throw new IllegalArgumentException("A request like this cannot be routed: " + failure, failure);
        }
    }

    private static @Nullable String unlimited(ServerWebExchange exchange, @Nullable Object handler) {
        if (handler == null) {
            return "no endpoint matches this request";
        }
        if (CorsUtils.isPreFlightRequest(exchange.getRequest())) {
            return "CORS preflights are not charged";
        }
        if (HttpStatus.FORBIDDEN.equals(exchange.getResponse().getStatusCode())) {
            return "CORS does not allow this origin";
        }
        return ReactiveEndpoints.isOfActuator(handler) ? "endpoints of Actuator are not limited" : null;
    }
}
