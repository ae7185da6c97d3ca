/** The page for those on call: static files, which work through {@code /actuator/limiter}. Internal. */
@NullMarked
package dev.limiter.spring.web.dashboard;

import org.jspecify.annotations.NullMarked;
