/** The limits that an application resolves for each key: asked once, cached, refreshed in the background. Internal. */
@NullMarked
package dev.limiter.spring.resolve;

import org.jspecify.annotations.NullMarked;
