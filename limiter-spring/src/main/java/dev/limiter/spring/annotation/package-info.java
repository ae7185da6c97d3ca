/** What applications write on their methods. */
@NullMarked
package dev.limiter.spring.annotation;

import org.jspecify.annotations.NullMarked;
