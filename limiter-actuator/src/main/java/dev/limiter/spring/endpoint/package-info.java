/** {@code /actuator/limiter}, also on JMX. Internal. */
@NullMarked
package dev.limiter.spring.endpoint;

import org.jspecify.annotations.NullMarked;
