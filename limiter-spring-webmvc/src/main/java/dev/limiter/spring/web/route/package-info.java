/** Finds the endpoint of a request and the patterns that the application serves. Internal. */
@NullMarked
package dev.limiter.spring.web.route;

import org.jspecify.annotations.NullMarked;
