/** What keys and expressions see of a request or a method call. */
@NullMarked
package dev.limiter.spring.context;

import org.jspecify.annotations.NullMarked;
