package dev.limiter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends requests to Redis: at once while little is under way, and else together with those that come until
 * something is answered, in one call of a script. So does TCP with small segments (RFC 896): a call that is for
 * many spares the server and the client most of what each of them costs. The longer the line, the more calls are
 * under way before requests gather, so that answers come often and no request waits for much longer than the line
 * takes; where a queue makes answers late, gathering is what shortens it. Requests are decided one after the other,
 * and fail each on its own.
 *
 * <p>Thread-safe; never blocks, and has no thread: the thread that reads an answer sends what has come meanwhile.
 */
final class RequestBatcher {

    static final Duration GATHER = Duration.ofMillis(2);

    private final Redis redis;
    private final Duration gather;
    private final StorageStatistics statistics;
    private final ConcurrentHashMap<Integer, SlotRequestBatcher> lanes = new ConcurrentHashMap<>();

    /** {@code gather}: {@link #GATHER}, or another time in tests. */
    RequestBatcher(Redis redis, Duration gather, StorageStatistics statistics) {
        this.redis = redis;
        this.gather = gather;
        this.statistics = statistics;
    }

    /** Sends a request soon, all of whose states are in that slot. */
    <T> CompletableFuture<T> ask(int slot, Request<T> request) {
        SlotRequestBatcher lane = lanes.get(slot);
        if (lane == null) {
            lane = lanes.computeIfAbsent(slot, absent -> new SlotRequestBatcher(redis, gather.toNanos(), statistics));
        }
        lane.add(request);
        return request;
    }

    /** Gives up calls that are under way for so long: no caller waits for them, but later ones of their keys do. */
    void abandon(Duration timeout) {
        lanes.values().forEach(lane -> lane.abandon(timeout));
    }
}
