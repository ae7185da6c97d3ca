/** Reports invalid configuration and failures. Internal. */
@NullMarked
package dev.limiter.spring.failure;

import org.jspecify.annotations.NullMarked;
