/**
 * Limits requests in Spring MVC, and responds to rejected ones. Applications can provide a
 * {@link dev.limiter.spring.web.ResourceResolver} and a {@link dev.limiter.spring.web.RejectionHandler}.
 * Internal, except for the types in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
