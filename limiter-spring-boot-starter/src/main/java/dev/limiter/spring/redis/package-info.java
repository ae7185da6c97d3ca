/** Limits in the application's Redis: the connection to it, and the listeners to its state. */
@NullMarked
package dev.limiter.spring.redis;

import org.jspecify.annotations.NullMarked;
