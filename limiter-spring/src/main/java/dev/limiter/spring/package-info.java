/** Limiter in Spring applications, without Spring Boot and servlets. */
@NullMarked
package dev.limiter.spring;

import org.jspecify.annotations.NullMarked;
