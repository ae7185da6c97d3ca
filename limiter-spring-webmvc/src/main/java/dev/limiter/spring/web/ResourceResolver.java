package dev.limiter.spring.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * A bean of this type renames resources, for example to give several endpoints one bucket. Asked for each request that
 * has rules; does not change which rules these are.
 */
@FunctionalInterface
public interface ResourceResolver {

    /**
     * The name of the resource, one of a small number: each is a bucket of the automatic limit and a tag in metrics, so
     * nothing that clients make up belongs in it.
     *
     * @param resource method and best-matching pattern, such as {@code GET /orders/{id}}
     */
    String resolve(HttpServletRequest request, String resource);
}
