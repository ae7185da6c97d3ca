package dev.limiter.spring.webflux;

import org.springframework.web.server.ServerWebExchange;

/**
 * A bean of this type renames the resources of a WebFlux application, for example so that several endpoints share one
 * bucket. Called for each request with rules, and on arrival for each rule of {@code phase: request}. Thread-safe; must
 * not block. The choice of rules does not depend on it.
 */
@FunctionalInterface
public interface ServerResourceResolver {

    /**
     * Returns the name of the resource, one of a small number: each is a bucket of the automatic limit and a tag in
     * metrics, so values from clients do not belong in it. If it returns null or throws, the response is 500, no permit
     * is taken, and the log has the reason.
     *
     * @param resource method and best-matching pattern, such as {@code GET /orders/{id}}; on arrival method and
     *     best-matching path of the rule
     */
    String resolve(ServerWebExchange exchange, String resource);
}
