/** The endpoint of a request, the patterns on the way to it, and the paths of the application. Internal. */
@NullMarked
package dev.limiter.spring.web.route;

import org.jspecify.annotations.NullMarked;
