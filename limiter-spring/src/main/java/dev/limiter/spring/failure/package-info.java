/** Configuration that cannot work stops the start, and says why. Internal. */
@NullMarked
package dev.limiter.spring.failure;

import org.jspecify.annotations.NullMarked;
