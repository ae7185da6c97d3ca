package dev.limiter.spring.webflux;

import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.MethodLimits.HandlerCall;
import dev.limiter.spring.edge.Endpoint;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Decides the rules of a request once its handler is known, then calls the adapter that the handler needs. It is in front
 * of all other adapters: every kind of handler passes through it once for each request, annotated, functional, static,
 * WebSocket and gateway routes. Error responses do not.
 */
public final class LimitingHandlerAdapter implements HandlerAdapter, Ordered {

    private final ReactiveEndpoints endpoints;
    private final ExchangeGate gate;
    private final CurrentExchange requests;
    private final boolean byPath;
    private final Supplier<List<HandlerAdapter>> others;

    /** {@code byPath}: whether rules with paths apply, and not only annotations of handlers. */
    public LimitingHandlerAdapter(
            ReactiveEndpoints endpoints,
            ExchangeGate gate,
            CurrentExchange requests,
            ApplicationContext application,
            boolean byPath) {
        this.byPath = byPath;
        this.endpoints = endpoints;
        this.gate = gate;
        this.requests = requests;
        // with the first request: this is one of the beans
        this.others = SingletonSupplier.of(() ->
                BeanFactoryUtils.beansOfTypeIncludingAncestors(application, HandlerAdapter.class, true, false)
                        .values()
                        .stream()
                        .filter(adapter -> !(adapter instanceof LimitingHandlerAdapter))
                        .sorted(AnnotationAwareOrderComparator.INSTANCE)
                        .toList());
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(Object handler) {
        return adapterOf(handler) != null;
    }

    @Override
    public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
        HandlerAdapter next = Objects.requireNonNull(adapterOf(handler));
        if (ReactiveEndpoints.isOfActuator(handler)) {
            return next.handle(exchange, handler);
        }
        ExchangeDecisions decisions = requests.begin(exchange);
        Endpoint endpoint = endpoints.of(exchange, handler);
        ApplicableRules rules = byPath
                ? endpoint.rules(exchange.getRequest().getPath().pathWithinApplication(), decisions.decidedOnArrival())
                : ApplicableRules.NONE;
        // also for methods that the handler calls
        Mono<ExchangeDecisions> known =
                endpoints.methodsMayReadUser() ? decisions.withUser(exchange) : Mono.just(decisions);
        // an empty result: the response is written
        return known.flatMap(same -> permits(rules, endpoint, decisions, exchange, handler))
                .flatMap(permitted -> permitted ? next.handle(exchange, limited(handler, decisions)) : Mono.empty());
    }

    private @Nullable HandlerAdapter adapterOf(Object handler) {
        for (HandlerAdapter adapter : others.get()) {
            if (adapter.supports(handler)) {
                return adapter;
            }
        }
        return null;
    }

    private Mono<Boolean> permits(
            ApplicableRules rules,
            Endpoint endpoint,
            ExchangeDecisions decisions,
            ServerWebExchange exchange,
            Object handler) {
        Mono<Boolean> byPath =
                rules.isEmpty() ? Mono.just(true) : gate.permits(rules, endpoint.resource(), decisions, exchange);
        HandlerCall call = endpoints.plainCall(handler, decisions.view());
        return call == null
                ? byPath
                : byPath.flatMap(permitted -> permitted ? gate.permits(call, decisions, exchange) : Mono.just(false));
    }

    /** The handshake of a WebSocket is one request, which lasts as long as the session. */
    private static Object limited(Object handler, ExchangeDecisions decisions) {
        return handler instanceof WebSocketHandler sockets ? new LimitedWebSocketHandler(sockets, decisions) : handler;
    }
}
