/** Micrometer meters. Internal. */
@NullMarked
package dev.limiter.spring.actuate.metrics;

import org.jspecify.annotations.NullMarked;
