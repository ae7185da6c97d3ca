/** Explanations of requests that nobody has sent. Internal. */
@NullMarked
package dev.limiter.spring.web.explain;

import org.jspecify.annotations.NullMarked;
