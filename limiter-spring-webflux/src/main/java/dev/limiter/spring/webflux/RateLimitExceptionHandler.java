package dev.limiter.spring.webflux;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.expression.RuleEvaluationException;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Responds to a rejection that leaves a handler as to one before the handler. Comes after the application's {@code
 * @ExceptionHandler} methods, and before Spring Boot's error response.
 */
public final class RateLimitExceptionHandler implements WebExceptionHandler, Ordered {

    /** Spring Boot's handler has -1. */
    private static final int BEFORE_SPRING_BOOT = -2;

    private final ServerRejections rejections;
    private final CurrentExchange requests;

    public RateLimitExceptionHandler(ServerRejections rejections, CurrentExchange requests) {
        this.rejections = rejections;
        this.requests = requests;
    }

    @Override
    public int getOrder() {
        return BEFORE_SPRING_BOOT;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        if (exchange.getResponse().isCommitted()) {
            return Mono.error(failure);
        }
        if (failure instanceof RuleEvaluationException) {
            exchange.getResponse().setStatusCode(HttpStatus.INTERNAL_SERVER_ERROR);
            return NettyConnection.later(exchange.getRequest(), exchange.getResponse()::setComplete);
        }
        if (!(failure instanceof RateLimitExceededException rejection)) {
            return Mono.error(failure);
        }
        ExchangeDecisions decisions = requests.begin(exchange);
        decisions.addRejection(rejection);
        return rejections.respond(decisions, exchange, rejection.decision());
    }
}
