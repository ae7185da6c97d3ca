/** Limits in the application's Redis: the connection to it, and the listeners to its state. Internal. */
@NullMarked
package dev.limiter.spring.redis;

import org.jspecify.annotations.NullMarked;
