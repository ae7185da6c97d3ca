/** The answer to a client, whatever the edge: fields, problem body, texts. */
@NullMarked
package dev.limiter.spring.answer;

import org.jspecify.annotations.NullMarked;
