package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.redis.FailedReleases.Release;
import dev.limiter.spi.ReleaseListeners;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Returns permits. If the release of concurrency permits fails, it is sent again until it succeeds or the hold has
 * expired; releasing twice is harmless. Permits of other limits would be returned twice, so they are sent again only if
 * the failure certainly returned none. Thread-safe; never blocks.
 */
final class RetryingPermitReleaser implements Returns {

    private final Redis redis;
    private final StorageStatistics statistics;
    private final ServerTime time;
    private final PermitRenewals held;
    private final KnownRejections rejections;
    private final ReleaseListeners listeners;

    /** Failed releases by server, because each may fail independently. */
    private final ConcurrentHashMap<String, FailedReleases> failed = new ConcurrentHashMap<>();

    private volatile boolean closed;

    RetryingPermitReleaser(
            Redis redis,
            StorageStatistics statistics,
            ServerTime time,
            PermitRenewals held,
            KnownRejections rejections,
            ReleaseListeners listeners) {
        this.redis = redis;
        this.statistics = statistics;
        this.time = time;
        this.held = held;
        this.rejections = rejections;
        this.listeners = listeners;
    }

    @Override
    public void giveBack(RedisDecision decision, boolean held) {
        rejections.forget(decision.charge);
        GiveBackRequest returned = GiveBackRequest.of(decision, held, time);
        if (held) {
            returned.forEach((state, permits) -> this.held.release(state, permits, decision.hold()));
            release(returned, decision.charge);
        } else {
            // also drops rejections of requests sent before the return was executed
            send(returned, false, () -> freed(decision.charge));
        }
    }

    @Override
    public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold) {
        release(GiveBackRequest.unanswered(charge, remote, hold, time), charge);
    }

    private void release(GiveBackRequest returned, Charge charge) {
        send(returned, true, () -> freed(charge));
    }

    private void freed(Charge charge) {
        rejections.forget(charge);
        listeners.released(charge.rule().name(), charge.key());
    }

    /**
     * Sends a return.
     *
     * @param repeatable whether executing it twice does no harm
     * @param done called when the server has executed it, or it is given up
     */
    private void send(GiveBackRequest returned, boolean repeatable, Runnable done) {
        if (!returned.isEmpty()) {
            long until = System.nanoTime() + PermitRenewals.MICROS * 1000;
            Script script = Scripts.giveBack(returned.algorithms());
            var unused = send(new Release(script, returned.states(), returned.argument(), repeatable, done, until));
        }
    }

    private CompletableFuture<Boolean> send(Release release) {
        return redis.run(release.script(), release.keys(), release.argument())
                .handle((reply, failure) -> {
                    boolean confirmed = failure == null;
                    if (!confirmed && (release.repeatable() || RedisErrors.isNotDone(failure)) && keep(release)) {
                        return false;
                    }
                    if (!confirmed) {
                        statistics.lostReturn();
                    }
                    release.done().run();
                    return confirmed;
                })
                .toCompletableFuture();
    }

    private boolean keep(Release release) {
        return !closed
                && failed.computeIfAbsent(
                                redis.node(redis.slot(release.keys()[0])), node -> new FailedReleases(this::send))
                        .keep(release);
    }

    void close() {
        closed = true;
    }
}
