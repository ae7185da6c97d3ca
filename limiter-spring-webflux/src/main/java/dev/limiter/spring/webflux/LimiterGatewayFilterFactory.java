package dev.limiter.spring.webflux;

import dev.limiter.spring.decide.NamedRules;
import java.util.List;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.OrderedGatewayFilter;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
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

    private final NamedRules rules;
    private final CurrentExchange requests;
    private final ExchangeGate gate;

    public LimiterGatewayFilterFactory(NamedRules rules, CurrentExchange requests, ExchangeGate gate) {
        super(Config.class);
        this.rules = rules;
        this.requests = requests;
        this.gate = gate;
    }

    /** The arguments of the filter. */
    public static final class Config {

        private String rule = "";

        /** The name of a rule in {@code limiter.rules}. */
        public String getRule() {
            return rule;
        }

        public void setRule(String rule) {
            this.rule = rule;
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
        String rule = config.getRule();
        rules.get(rule);
        return new OrderedGatewayFilter((exchange, chain) -> filter(rule, exchange, chain), BEFORE_RETRY);
    }

    private Mono<Void> filter(String rule, ServerWebExchange exchange, GatewayFilterChain chain) {
        ExchangeDecisions decisions = requests.begin(exchange);
        return gate.permits(
                        rules.get(rule).applicable().without(decisions.rules()),
                        GatewayRoute.resource(exchange),
                        decisions,
                        exchange)
                .flatMap(permitted -> permitted ? chain.filter(exchange) : Mono.empty());
    }
}
