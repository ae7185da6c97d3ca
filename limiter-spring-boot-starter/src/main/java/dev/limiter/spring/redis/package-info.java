/** Limits in the application's Redis: the connection to it, and what is kept there besides decisions. Internal. */
@NullMarked
package dev.limiter.spring.redis;

import org.jspecify.annotations.NullMarked;
