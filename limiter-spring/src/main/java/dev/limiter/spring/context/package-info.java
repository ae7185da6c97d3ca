/**
 * Requests and method calls as keys and expressions use them. Internal, except for the types in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.context;

import org.jspecify.annotations.NullMarked;
