/**
 * Limits requests in Spring MVC, and answers the rejected ones. Applications may bring a
 * {@link dev.limiter.spring.web.ResourceResolver} and a {@link dev.limiter.spring.web.RejectionHandler}.
 */
@NullMarked
package dev.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
