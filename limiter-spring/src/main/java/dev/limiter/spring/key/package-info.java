/**
 * The key grammar: who shares a bucket with whom. Extension points: {@link dev.limiter.spring.key.KeyResolver}, {@link
 * dev.limiter.spring.key.KeySource}.
 */
@NullMarked
package dev.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
