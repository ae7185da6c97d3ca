package dev.limiter.spring.webflux;

import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.RequestDecisions;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.edge.ArrivingRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Owns the life of a request: creates its state, decides the rules of {@code phase: request}, writes the fields before the
 * response is committed, and releases what the request holds when it is over.
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {

    private final CurrentExchange requests;
    private final RuleDecider decider;
    private final ServerRejections rejections;
    private final ExchangeGate gate;
    private final @Nullable Rules rules;
    private final int order;

    /** {@code rules}: null where requests are not limited, but calls of methods are. */
    public RateLimitWebFilter(
            CurrentExchange requests,
            RuleDecider decider,
            ServerRejections rejections,
            ExchangeGate gate,
            @Nullable Rules rules,
            int order) {
        this.requests = requests;
        this.decider = decider;
        this.rejections = rejections;
        this.gate = gate;
        this.rules = rules;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (ExchangeDecisions.of(exchange) != null) {
            return chain.filter(exchange);
        }
        ExchangeDecisions decisions = requests.begin(exchange);
        exchange.getResponse().beforeCommit(() -> decisions.beforeCommit(decider));
        return permits(decisions, exchange)
                .flatMap(permitted -> permitted ? chain.filter(exchange) : Mono.empty())
                .contextWrite(context -> context.put(RequestDecisions.class, decisions))
                .doFinally(signal -> decisions.finish());
    }

    private Mono<Boolean> permits(ExchangeDecisions decisions, ServerWebExchange exchange) {
        RuleSet ruleSet = rules == null ? null : rules.current();
        if (ruleSet == null || ruleSet.requestRules().isEmpty()) {
            return Mono.just(true);
        }
        ArrivingRequest arriving = ArrivingRequest.of(
                exchange.getRequest().getMethod().name(),
                List.of(exchange.getRequest().getPath().pathWithinApplication()),
                ruleSet);
        if (arriving.resources().isEmpty() || rejections.isPreflight(exchange)) {
            return Mono.just(true);
        }
        decisions.arrive(arriving.rules(), ruleSet.pathRules());
        return gate.permits(arriving, decisions, exchange);
    }
}
