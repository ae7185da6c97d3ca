/** What the endpoint of Actuator needs of servlets. Internal. */
@NullMarked
package dev.limiter.spring.web.endpoint;

import org.jspecify.annotations.NullMarked;
