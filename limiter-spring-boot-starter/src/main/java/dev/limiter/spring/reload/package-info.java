/** Rules that are written or changed while the application runs, and the threads that look for them. Internal. */
@NullMarked
package dev.limiter.spring.reload;

import org.jspecify.annotations.NullMarked;
