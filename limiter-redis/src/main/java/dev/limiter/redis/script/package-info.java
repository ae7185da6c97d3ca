/**
 * What is said to the scripts that decide in Redis, and what they answer. No class here sends anything: see {@code
 * dev.limiter.redis}.
 */
@NullMarked
package dev.limiter.redis.script;

import org.jspecify.annotations.NullMarked;
