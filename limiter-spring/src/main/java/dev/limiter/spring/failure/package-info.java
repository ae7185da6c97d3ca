/** Configuration that cannot work stops the start, and says why. */
@NullMarked
package dev.limiter.spring.failure;

import org.jspecify.annotations.NullMarked;
