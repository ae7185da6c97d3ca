/** Limits in the application's Redis: the connection to it, and who is told how it fares. */
@NullMarked
package dev.limiter.spring.redis;

import org.jspecify.annotations.NullMarked;
