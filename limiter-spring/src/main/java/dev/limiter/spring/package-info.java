/** Limiter in Spring Boot applications. */
@NullMarked
package dev.limiter.spring;

import org.jspecify.annotations.NullMarked;
