/** Binds and validates the properties below {@code limiter}. Internal. */
@NullMarked
package dev.limiter.spring.config;

import org.jspecify.annotations.NullMarked;
