package dev.limiter.spring.webflux;

import dev.limiter.spring.decide.NamedRules;
import dev.limiter.spring.decide.NamedRules.NamedRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.OrderedGatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.support.HasRouteId;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The filter {@code Limiter=orders} of a route in Spring Cloud Gateway: requests of the route take a permit of the rule
 * {@code orders}, unless the rule has counted them by its paths. It runs before the retry filter, so a request is charged
 * once. A rejected request never reaches the backend. Thread-safe; never blocks.
 */
public final class LimiterGatewayFilterFactory
        extends AbstractGatewayFilterFactory<LimiterGatewayFilterFactory.Config> {

    private static final int BEFORE_RETRY = -1;

    private record Limits(NamedRules rules, CurrentExchange requests, ExchangeGate gate) {}

    private final @Nullable Limits limits;

    public LimiterGatewayFilterFactory(NamedRules rules, CurrentExchange requests, ExchangeGate gate) {
        super(Config.class);
        this.limits = new Limits(rules, requests, gate);
    }

    /** Creates a filter that permits everything, for {@code limiter.enabled: false}. */
    public LimiterGatewayFilterFactory() {
        super(Config.class);
        this.limits = null;
    }

    /** The arguments of the filter. */
    public static final class Config implements HasRouteId {

        private String rule = "";
        private String route = "";

        /** The name of a rule in {@code limiter.rules}. */
        public String getRule() {
            return rule;
        }

        public void setRule(String rule) {
            this.rule = rule;
        }

        @Override
        public String getRouteId() {
            return route;
        }

        @Override
        public void setRouteId(String route) {
            this.route = route;
        }
    }

    @Override
    public List<String> shortcutFieldOrder() {
        return List.of("rule");
    }

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if there is no rule of that name, or it has no
     *     limit
     */
    @Override
    public GatewayFilter apply(Config config) {
        if (limits == null) {
            return (exchange, chain) -> chain.filter(exchange);
        }
        Limits used = limits;
        String rule = config.getRule();
        String user = "The filter Limiter of the route " + config.getRouteId();
        used.rules.get(rule, user);
        return new OrderedGatewayFilter(
                (exchange, chain) -> filter(used.rules.get(rule, user), used, exchange, chain), BEFORE_RETRY);
    }

    private static Mono<Void> filter(
            NamedRule rule, Limits limits, ServerWebExchange exchange, GatewayFilterChain chain) {
        ExchangeDecisions decisions = limits.requests.begin(exchange);
        return limits.gate
                .permits(
                        rule.applicable().without(decisions.rules()),
                        GatewayRoute.resource(exchange),
                        decisions,
                        exchange)
                .flatMap(permitted -> permitted ? chain.filter(exchange) : Mono.empty());
    }
}
