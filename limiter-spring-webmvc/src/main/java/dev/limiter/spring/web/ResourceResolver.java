package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Renames resources, for example to give several endpoints one bucket. Declare a bean of this type. It is called on the
 * thread of each request with rules, and before routing for each rule with {@code phase: request}. Implementations must
 * be thread-safe. Renaming does not affect which rules apply.
 */
@FunctionalInterface
public interface ResourceResolver {

    /**
     * Returns the name of the resource. Names must be few and must not contain values from clients, because each name
     * is a bucket of the automatic limit and a tag in metrics. If this returns null or throws, the response has status
     * 500 and the failure is logged at most once a minute.
     *
     * @param resource the method and best-matching pattern, such as {@code GET /orders/{id}}; before routing the method
     *     and best-matching path of the rule
     */
    String resolve(HttpServletRequest request, String resource);
}
