/** Micrometer meters and observations. Internal. */
@NullMarked
package dev.limiter.spring.actuate.metrics;

import org.jspecify.annotations.NullMarked;
