/**
 * Limits requests in Spring MVC, and answers the rejected ones. Applications may bring a
 * {@link dev.limiter.spring.web.ResourceResolver} and a {@link dev.limiter.spring.web.RejectionHandler}.
 * Internal, but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
