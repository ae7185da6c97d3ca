/**
 * Limits that hold across instances: states in Redis or Valkey, decided there by scripts. {@link
 * dev.limiter.redis.RedisRateLimiterStorage} is the storage; {@link dev.limiter.redis.Redis} is what it asks, which
 * {@link dev.limiter.redis.LettuceRedis} reaches with Lettuce. Internal, but for the types that the manual lists
 * (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.redis;

import org.jspecify.annotations.NullMarked;
