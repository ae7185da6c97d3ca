/** {@code /actuator/limiter}, also on JMX. */
@NullMarked
package dev.limiter.spring.endpoint;

import org.jspecify.annotations.NullMarked;
