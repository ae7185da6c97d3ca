/** The endpoint {@code limiter}, over HTTP and JMX. Internal. */
@NullMarked
package dev.limiter.spring.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
