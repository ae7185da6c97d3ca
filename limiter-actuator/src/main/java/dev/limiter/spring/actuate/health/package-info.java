/**
 * Health of the storage and of changed rules, with one adapter for Spring Boot 3 and one for Spring Boot 4. Internal.
 */
@NullMarked
package dev.limiter.spring.actuate.health;

import org.jspecify.annotations.NullMarked;
