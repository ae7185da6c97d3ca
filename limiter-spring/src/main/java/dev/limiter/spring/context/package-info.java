/**
 * The view that keys and expressions have of a request or a method call. Internal, but for the types that the manual
 * lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.context;

import org.jspecify.annotations.NullMarked;
