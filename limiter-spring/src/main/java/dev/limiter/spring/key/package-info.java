/**
 * Parses and resolves keys, which determine the requests that share a bucket. Extension points:
 * {@link dev.limiter.spring.key.KeyResolver}, {@link dev.limiter.spring.key.KeySource}. Internal, except for the types
 * in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
