/** Counts outcomes with Micrometer. */
@NullMarked
package dev.limiter.spring.metrics;

import org.jspecify.annotations.NullMarked;
