/** Threads beside those of requests, and what they do. Internal. */
@NullMarked
package dev.limiter.spring.background;

import org.jspecify.annotations.NullMarked;
