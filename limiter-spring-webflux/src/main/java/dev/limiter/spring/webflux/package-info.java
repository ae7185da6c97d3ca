/**
 * The edge for Spring WebFlux: decides requests before their handlers run, and responds to rejected ones. Nothing blocks.
 * Internal, except for the types listed in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.webflux;

import org.jspecify.annotations.NullMarked;
