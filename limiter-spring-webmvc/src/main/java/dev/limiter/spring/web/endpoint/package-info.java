/** The servlet side of the endpoint of Actuator. Internal. */
@NullMarked
package dev.limiter.spring.web.endpoint;

import org.jspecify.annotations.NullMarked;
