/** The answer to a client at any edge: fields, problem body, texts. Internal. */
@NullMarked
package dev.limiter.spring.response;

import org.jspecify.annotations.NullMarked;
