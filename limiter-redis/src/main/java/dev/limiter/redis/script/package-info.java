/**
 * The arguments and answers of the scripts that decide in Redis. No class here sends anything: see {@code
 * dev.limiter.redis}. Internal.
 */
@NullMarked
package dev.limiter.redis.script;

import org.jspecify.annotations.NullMarked;
