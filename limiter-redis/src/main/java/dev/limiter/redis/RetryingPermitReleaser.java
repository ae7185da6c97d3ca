package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.ReleaseListeners;
import dev.limiter.failover.RemoteRuleStatus;
import dev.limiter.redis.ahead.KnownRefusals;
import dev.limiter.redis.script.GiveBackRequest;
import dev.limiter.redis.script.RedisDecision;
import dev.limiter.redis.script.RemoteRule;
import dev.limiter.redis.script.Returns;
import dev.limiter.redis.script.ServerTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Returns permits. The release of a concurrency limit's permits that fails, such as with a connection that was cut, is
 * kept and sent again until it succeeds, or the hold has ended: to release twice does nothing. Permits of other limits,
 * which would be returned twice, are sent again for as long, but only after a failure that has certainly returned none.
 * Thread-safe; never blocks.
 */
final class RetryingPermitReleaser implements Returns {

    /** More are left to the end of their holds, or windows. */
    private static final int MOST_KEPT = 100_000;

    /** So many are sent at once. */
    private static final int TOGETHER = 64;

    private static final Executor LATER = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final Redis redis;
    private final Scripts scripts;
    private final StorageStatistics statistics;
    private final ServerTime time;
    private final PermitRenewals held;
    private final KnownRefusals refusals;
    private final ReleaseListeners listeners;
    private final Queue<Release> kept = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile RemoteRuleStatus.Listener standings = RemoteRuleStatus.Listener.NONE;
    private volatile boolean closed;

    private record Release(
            Script script, byte[][] keys, byte[] argument, boolean repeatable, Runnable done, long until) {

        boolean isOver() {
            return System.nanoTime() - until >= 0;
        }
    }

    RetryingPermitReleaser(
            Redis redis,
            Scripts scripts,
            StorageStatistics statistics,
            ServerTime time,
            PermitRenewals held,
            KnownRefusals refusals,
            ReleaseListeners listeners) {
        this.redis = redis;
        this.scripts = scripts;
        this.statistics = statistics;
        this.time = time;
        this.held = held;
        this.refusals = refusals;
        this.listeners = listeners;
    }

    /** Has a listener told of what is returned. */
    void onStanding(RemoteRuleStatus.Listener listener) {
        standings = listener;
    }

    @Override
    public void giveBack(RedisDecision decision, boolean held) {
        refusals.forget(decision.charge);
        standings.returned(decision, held);
        GiveBackRequest returned = GiveBackRequest.of(decision, held, time);
        if (held) {
            returned.forEach((state, permits) -> this.held.release(state, permits, decision.hold()));
            release(returned, decision.charge);
        } else {
            // refusals of requests that asked before it was done
            send(returned, false, () -> refusals.forget(decision.charge));
        }
    }

    @Override
    public void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold) {
        release(GiveBackRequest.unanswered(charge, remote, hold, time), charge);
    }

    private void release(GiveBackRequest returned, Charge charge) {
        send(returned, true, () -> {
            refusals.forget(charge);
            listeners.released(charge.rule().name(), charge.key());
        });
    }

    /**
     * @param repeatable whether the same may be done twice
     * @param done called when the server has done it, or it is given up
     */
    private void send(GiveBackRequest returned, boolean repeatable, Runnable done) {
        if (!returned.isEmpty()) {
            long until = System.nanoTime() + PermitRenewals.MICROS * 1000;
            Script script = scripts.giveBack(returned.algorithms());
            var unused = send(new Release(script, returned.states(), returned.argument(), repeatable, done, until));
        }
    }

    private CompletableFuture<Boolean> send(Release release) {
        return redis.run(release.script, release.keys, release.argument)
                .handle((answer, failure) -> {
                    boolean confirmed = failure == null;
                    if (!confirmed && (release.repeatable || RedisErrors.isNotDone(failure)) && keep(release)) {
                        return false;
                    }
                    if (!confirmed) {
                        statistics.lostReturn();
                    }
                    release.done.run();
                    return confirmed;
                })
                .toCompletableFuture();
    }

    private boolean keep(Release release) {
        if (closed || release.isOver() || size.incrementAndGet() > MOST_KEPT) {
            return false;
        }
        kept.add(release);
        if (underWay.compareAndSet(false, true)) {
            LATER.execute(this::sendAgain);
        }
        return true;
    }

    private void sendAgain() {
        List<CompletableFuture<Boolean>> sent = new ArrayList<>();
        while (sent.size() < TOGETHER) {
            Release release = kept.poll();
            if (release == null) {
                break;
            }
            size.decrementAndGet();
            sent.add(send(release));
        }
        var unused = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
                .whenComplete((done, failure) -> goOn(sent.stream().allMatch(CompletableFuture::join)));
    }

    private void goOn(boolean works) {
        if (!kept.isEmpty()) {
            (works ? (Executor) Runnable::run : LATER).execute(this::sendAgain);
            return;
        }
        underWay.set(false);
        if (!kept.isEmpty() && underWay.compareAndSet(false, true)) {
            LATER.execute(this::sendAgain);
        }
    }

    void close() {
        closed = true;
    }
}
