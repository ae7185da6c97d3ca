/** Questions to a Redis server besides decisions. Internal. */
@NullMarked
package dev.limiter.redis.server;

import org.jspecify.annotations.NullMarked;
