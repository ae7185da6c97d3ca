/** The response to a client in any web framework: header fields, problem body, texts. Internal. */
@NullMarked
package dev.limiter.spring.response;

import org.jspecify.annotations.NullMarked;
