/** The parts of an edge that Spring MVC and WebFlux share. Internal. */
@NullMarked
package dev.limiter.spring.edge;

import org.jspecify.annotations.NullMarked;
