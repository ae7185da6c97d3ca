/** The rules for a request that was not sent. Internal. */
@NullMarked
package dev.limiter.spring.web.explain;

import org.jspecify.annotations.NullMarked;
