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
 * The releases that failed on one server, which are sent again: some at once, the next when these are answered, or a
 * moment later where any of them failed. Thread-safe; never blocks.
 */
final class FailedReleases {

    /** More are left to the end of their holds, or windows. */
    static final int MOST_KEPT = 100_000;

    /** So many are sent at once. */
    private static final int TOGETHER = 64;

    /** The JDK's thread for time-outs: tasks of the application may occupy the common pool. */
    private static final Executor NEXT = CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run);

    /** The same thread, a moment later. */
    private static final Executor LATER = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, Runnable::run);

    private final Function<Release, CompletableFuture<Boolean>> send;
    private final BlockingQueue<Release> kept = new LinkedBlockingQueue<>(MOST_KEPT);
    private final AtomicBoolean underWay = new AtomicBoolean();

    /**
     * @param repeatable whether the same may be done twice
     * @param done called when the server has done it, or it is given up
     * @param until the time by {@link System#nanoTime} from which it has no effect
     */
    record Release(Script script, byte[][] keys, byte[] argument, boolean repeatable, Runnable done, long until) {

        boolean isOver() {
            return System.nanoTime() - until >= 0;
        }
    }

    /** {@code send}: sends a release; false if that failed, in which case the release has been kept again. */
    FailedReleases(Function<Release, CompletableFuture<Boolean>> send) {
        this.send = send;
    }

    /** Has a release sent again; false if it is over, or there is no place for it. */
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
                        (done, failure) -> goOn(failure == null && sent.stream().allMatch(CompletableFuture::join)),
                        NEXT);
    }

    private void goOn(boolean works) {
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
