/**
 * Limits that instances share: their states are in Redis or Valkey, where scripts decide. {@link
 * dev.limiter.redis.RedisRateLimiterStorage} is the storage. It calls a {@link dev.limiter.redis.Redis}, which {@link
 * dev.limiter.redis.LettuceRedis} implements with Lettuce. Internal, except for the types listed in
 * docs/reference/api.md.
 */
@NullMarked
package dev.limiter.redis;

import org.jspecify.annotations.NullMarked;
