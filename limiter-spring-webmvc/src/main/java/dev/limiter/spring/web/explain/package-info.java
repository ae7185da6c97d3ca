/** Explanations of hypothetical requests. Internal. */
@NullMarked
package dev.limiter.spring.web.explain;

import org.jspecify.annotations.NullMarked;
