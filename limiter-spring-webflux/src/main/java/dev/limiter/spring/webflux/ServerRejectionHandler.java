package dev.limiter.spring.webflux;

import dev.limiter.Decision;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A bean of this type replaces the response to rejected requests of a WebFlux application: status, {@code Retry-After}
 * and body. Implementations are thread-safe and do not block.
 */
@FunctionalInterface
public interface ServerRejectionHandler {

    /**
     * Writes the response to a rejected request. The {@code RateLimit} fields are added when it is committed.
     *
     * @param rejection the decision, with the state of each limit and the time after which to retry
     * @return completes when the response is written
     */
    Mono<Void> handle(ServerWebExchange exchange, Decision rejection);
}
