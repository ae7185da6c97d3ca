/**
 * What decides while a storage that instances share cannot be asked. A {@link dev.limiter.failover.RemoteStorage} is all
 * that another store has to implement; no class here knows which one it is.
 */
@NullMarked
package dev.limiter.failover;

import org.jspecify.annotations.NullMarked;
