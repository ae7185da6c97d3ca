/** The Actuator endpoint {@code limiter}, metrics and health. Internal. */
@NullMarked
package dev.limiter.spring.actuate;

import org.jspecify.annotations.NullMarked;
