/** The annotations of applications. */
@NullMarked
package dev.limiter.spring.annotation;

import org.jspecify.annotations.NullMarked;
