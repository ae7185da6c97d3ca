/** Puts the beans together; each backs off where the application brings its own. Internal. */
@NullMarked
package dev.limiter.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
