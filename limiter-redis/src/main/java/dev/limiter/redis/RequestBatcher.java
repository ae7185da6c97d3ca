package dev.limiter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends requests to Redis: at once while few calls are in progress, otherwise batched with later requests until a reply
 * arrives, in one call of a script. TCP treats small segments in the same way (RFC 896). Batching saves the server and
 * the client most of the cost per call.
 *
 * <p>The longer the network latency, the more calls may be in progress before requests are batched. So replies come
 * often, and no request waits much longer than the latency. If a queue delays replies, batching shortens it. Requests
 * are decided one after the other, and fail independently.
 *
 * <p>Thread-safe; never blocks and starts no threads: the thread that reads a reply sends what has arrived in the
 * meantime.
 */
final class RequestBatcher {

    static final Duration GATHER = Duration.ofMillis(2);

    private final Redis redis;
    private final Duration gather;
    private final StorageStatistics statistics;
    private final ConcurrentHashMap<Integer, SlotRequestBatcher> lanes = new ConcurrentHashMap<>();

    /** Creates a batcher; {@code gather} is {@link #GATHER} except in tests. */
    RequestBatcher(Redis redis, Duration gather, StorageStatistics statistics) {
        this.redis = redis;
        this.gather = gather;
        this.statistics = statistics;
    }

    /** Sends a request soon; all of its states are in {@code slot}. */
    <T> CompletableFuture<T> submit(int slot, Request<T> request) {
        SlotRequestBatcher lane = lanes.get(slot);
        if (lane == null) {
            lane = lanes.computeIfAbsent(slot, absent -> new SlotRequestBatcher(redis, gather.toNanos(), statistics));
        }
        lane.add(request);
        return request;
    }

    /**
     * Gives up calls that have been in progress for {@code timeout}. No caller waits for them, but later requests for
     * their keys do.
     */
    void abandon(Duration timeout) {
        lanes.values().forEach(lane -> lane.abandon(timeout));
    }
}
