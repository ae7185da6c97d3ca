package dev.limiter.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Retries the releases that failed on one server, some at a time: the next ones after these succeeded, or after a pause
 * if any failed. Thread-safe; never blocks.
 */
final class FailedReleases {

    /** The most releases kept; others end when their hold or window expires. */
    static final int MOST_KEPT = 100_000;

    /** The number of releases sent at a time. */
    private static final int TOGETHER = 64;

    /** The JDK's thread for timeouts, because the application may block the common pool. */
    private static final Executor NEXT = CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run);

    /** The same thread, after a pause. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, Runnable::run);

    private final Function<Release, CompletableFuture<Boolean>> send;
    private final BlockingQueue<Release> kept = new LinkedBlockingQueue<>(MOST_KEPT);
    private final AtomicBoolean underWay = new AtomicBoolean();

    /**
     * A release that failed.
     *
     * @param repeatable whether executing it twice does no harm
     * @param done called when the server has executed it, or it is given up
     * @param until the {@link System#nanoTime} from which it has no effect
     */
    record Release(Script script, byte[][] keys, byte[] argument, boolean repeatable, Runnable done, long until) {

        boolean isOver() {
            return System.nanoTime() - until >= 0;
        }
    }

    /** Creates an instance; {@code send} sends a release, and returns false if it failed and was kept again. */
    FailedReleases(Function<Release, CompletableFuture<Boolean>> send) {
        this.send = send;
    }

    /** Keeps a release to be sent again; returns false if it is over or too many are kept. */
    boolean keep(Release release) {
        if (release.isOver() || !kept.offer(release)) {
            return false;
        }
        begin();
        return true;
    }

    private void begin() {
        if (underWay.compareAndSet(false, true)) {
            LATER.execute(this::sendSome);
        }
    }

    private void sendSome() {
        List<Release> some = new ArrayList<>(TOGETHER);
        kept.drainTo(some, TOGETHER);
        List<CompletableFuture<Boolean>> sent = some.stream().map(send).toList();
        var unused = CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
                .whenCompleteAsync(
                        (done, failure) ->
                                sendNext(failure == null && sent.stream().allMatch(CompletableFuture::join)),
                        NEXT);
    }

    private void sendNext(boolean works) {
        if (works && !kept.isEmpty()) {
            sendSome();
            return;
        }
        underWay.set(false);
        if (!kept.isEmpty()) {
            begin();
        }
    }
}
