/**
 * Answers without asking Redis: permits that were taken ahead, and rejections that are known. No class here sends
 * anything: see {@code dev.limiter.redis}. Internal.
 */
@NullMarked
package dev.limiter.redis.ahead;

import org.jspecify.annotations.NullMarked;
