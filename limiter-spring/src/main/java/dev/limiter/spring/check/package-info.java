/**
 * Checks after startup, which report settings that are valid, but probably not intended. Internal.
 */
@NullMarked
package dev.limiter.spring.check;

import org.jspecify.annotations.NullMarked;
