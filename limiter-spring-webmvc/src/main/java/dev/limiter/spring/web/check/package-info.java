/** Checks of the start report that need mappings. Internal. */
@NullMarked
package dev.limiter.spring.web.check;

import org.jspecify.annotations.NullMarked;
