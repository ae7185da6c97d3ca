package dev.limiter.spring.webflux;

import dev.limiter.Decision;
import dev.limiter.spring.decide.RuleDecider;
import dev.limiter.spring.rule.HeaderStyle;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Responds to rejected requests: refunds earlier decisions, prepares the fields, and calls the handler. Thread-safe. */
public final class ServerRejections {

    private final ServerRejectionHandler handler;
    private final RuleDecider decider;
    private final HeaderStyle style;
    private final CrossOriginFields crossOrigin;

    /**
     * @param style of limits that belong to no known rule
     * @param sources the CORS configuration of the application
     */
    public ServerRejections(
            ServerRejectionHandler handler,
            RuleDecider decider,
            HeaderStyle style,
            ObjectProvider<CorsConfigurationSource> sources) {
        this.handler = handler;
        this.decider = decider;
        this.style = style;
        this.crossOrigin = new CrossOriginFields(sources);
    }

    boolean isPreflight(ServerWebExchange exchange) {
        return crossOrigin.isPreflight(exchange);
    }

    /** Writes the response; completes at once if it is committed already. */
    Mono<Void> respond(ExchangeDecisions decisions, ServerWebExchange exchange, Decision rejection) {
        decisions.giveBack();
        if (exchange.getResponse().isCommitted()) {
            return Mono.empty();
        }
        crossOrigin.allow(exchange);
        if (handler instanceof ProblemServerRejectionHandler ours) {
            ours.delay(decisions);
        }
        CrossOriginFields.expose(exchange.getResponse(), List.of("Retry-After"));
        return Mono.fromFuture(() -> decisions.writeRejection(decider::peekLater, rejection, style))
                .then(NettyConnection.later(exchange.getRequest(), () -> handler.handle(exchange, rejection)));
    }
}
