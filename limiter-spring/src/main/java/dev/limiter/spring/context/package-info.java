/** The view that keys and expressions have of a request or a method call. */
@NullMarked
package dev.limiter.spring.context;

import org.jspecify.annotations.NullMarked;
