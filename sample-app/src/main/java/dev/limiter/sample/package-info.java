/** A small order service: each endpoint shows one way of limiting. */
@NullMarked
package dev.limiter.sample;

import org.jspecify.annotations.NullMarked;
