/**
 * Tells in the application's health whether limits hold across instances, and whether rules are as they were changed; a
 * class for each line of Spring Boot. Internal.
 */
@NullMarked
package dev.limiter.spring.actuate.health;

import org.jspecify.annotations.NullMarked;
