/**
 * When an answer is about to be sent, and what of it counts for the charges that are still open; when an asynchronous
 * request is over. Internal.
 */
@NullMarked
package dev.limiter.spring.web.settle;

import org.jspecify.annotations.NullMarked;
