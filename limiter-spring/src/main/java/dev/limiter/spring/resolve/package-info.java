/** Limits that an application resolves for each key, cached and refreshed in the background. Internal. */
@NullMarked
package dev.limiter.spring.resolve;

import org.jspecify.annotations.NullMarked;
