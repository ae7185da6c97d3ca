/** {@code /actuator/limiter}, also on JMX. Internal. */
@NullMarked
package dev.limiter.spring.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
