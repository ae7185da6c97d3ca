package dev.limiter.failover;

import java.time.Duration;

/** How many instances share a storage, as far as this one knows. Thread-safe. */
public interface InstanceCount {

    /** 1 until it is known; the last known number while the storage cannot be asked. */
    int known();

    /** Has this instance counted, if that is due. Called once a second or so while the storage is asked; does not block. */
    void sayHello();

    /** Has this instance counted no longer. Blocks for so long at most; gives up where that fails. */
    void sayGoodbye(Duration atMost);
}
