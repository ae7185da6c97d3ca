package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * A bean of this type renames resources, for example to give several endpoints one bucket. Asked for each request with
 * rules, and on its arrival for each rule of {@code phase: request}, on its thread; must be thread-safe. The choice of
 * rules does not depend on it.
 */
@FunctionalInterface
public interface ResourceResolver {

    /**
     * The name of the resource, one of a small number: each is a bucket of the automatic limit and a tag in metrics, so
     * values from clients do not belong in it. A request for which this is null, or fails, is answered with 500 before
     * any rule is asked, and the log says so once a minute.
     *
     * @param resource method and best-matching pattern, such as {@code GET /orders/{id}}; on arrival method and
     *     best-matching path of the rule
     */
    String resolve(HttpServletRequest request, String resource);
}
