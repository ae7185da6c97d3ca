/** The key grammar: who shares a bucket with whom. Extension point: {@link dev.limiter.spring.key.KeyResolver}. */
@NullMarked
package dev.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
