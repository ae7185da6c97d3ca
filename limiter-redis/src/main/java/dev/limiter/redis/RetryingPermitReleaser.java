package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.redis.FailedReleases.Release;
import dev.limiter.redis.ahead.KnownRejections;
import dev.limiter.redis.script.GiveBackRequest;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ServerTime;
import dev.limiter.spi.ReleaseListeners;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Returns permits. The release of a concurrency limit's permits that fails, such as with a connection that was cut, is
 * kept and sent again until it succeeds, or the hold has ended: to release twice does nothing. Permits of other limits,
 * which would be returned twice, are sent again for as long, but only after a failure that has certainly returned none.
 * Thread-safe; never blocks.
 */
final class RetryingPermitReleaser implements Returns {

    private final Redis redis;
    private final StorageStatistics statistics;
    private final ServerTime time;
    private final PermitRenewals held;
    private final KnownRejections rejections;
    private final ReleaseListeners listeners;

    /** By the server, which may fail or not answer while others do. */
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
            // rejections of requests that asked before it was done
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
     * @param repeatable whether the same may be done twice
     * @param done called when the server has done it, or it is given up
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
                .handle((answer, failure) -> {
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
