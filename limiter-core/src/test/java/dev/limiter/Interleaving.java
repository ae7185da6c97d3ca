package dev.limiter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs threads one at a time, and changes over between them by a seed: wherever they read the clock, want a lock or
 * release one. A failure is repeatable.
 */
final class Interleaving implements TimeSource {

    final VirtualTime time = new VirtualTime();
    private final SplittableRandom random;
    private final Semaphore scheduler = new Semaphore(0);
    private final ThreadLocal<@Nullable Actor> current = new ThreadLocal<>();

    Interleaving(long seed) {
        this.random = new SplittableRandom(seed);
    }

    @Override
    public long epochNanos() {
        pause();
        return time.epochNanos();
    }

    /** Runs all to their ends; throws what the first of them threw. */
    void run(List<Runnable> scripts) {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Actor> actors = new ArrayList<>();
        scripts.forEach(script -> actors.add(new Actor(script)));
        actors.forEach(threads::execute);
        List<Actor> alive = new ArrayList<>(actors);
        while (!alive.isEmpty()) {
            Actor next = alive.get(random.nextInt(alive.size()));
            next.turn.release();
            scheduler.acquireUninterruptibly();
            if (next.done) {
                alive.remove(next);
            }
        }
        threads.shutdown();
        for (Actor actor : actors) {
            if (actor.failure != null) {
                throw new IllegalStateException("What was interleaved failed", actor.failure);
            }
        }
    }

    /** Another thread may go on here. */
    void pause() {
        Actor actor = current.get();
        if (actor != null && !actor.undisturbed) {
            yieldTo(actor);
        }
    }

    private void yieldTo(Actor actor) {
        scheduler.release();
        actor.turn.acquireUninterruptibly();
    }

    /** Reads something, so that no other thread goes on between then and the return. */
    long undisturbed(LongSupplier reading) {
        Actor actor = current.get();
        if (actor == null) {
            return reading.getAsLong();
        }
        actor.undisturbed = true;
        try {
            return reading.getAsLong();
        } finally {
            actor.undisturbed = false;
        }
    }

    /** A lock that lets others go on. {@code broken}: it only looks like one. */
    ReentrantLock lock(boolean broken) {
        return new Lock(broken);
    }

    private final class Lock extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        private final boolean broken;

        Lock(boolean broken) {
            this.broken = broken;
        }

        @Override
        public void lock() {
            pause();
            while (!broken && !super.tryLock()) {
                yieldTo(Objects.requireNonNull(current.get()));
            }
        }

        @Override
        public boolean tryLock() {
            pause();
            return broken || super.tryLock();
        }

        @Override
        public void unlock() {
            if (!broken) {
                super.unlock();
            }
            pause();
        }

        @Override
        public int getHoldCount() {
            return broken ? 1 : super.getHoldCount();
        }
    }

    private final class Actor implements Runnable {

        private final Runnable script;
        private final Semaphore turn = new Semaphore(0);
        private volatile boolean done;
        private boolean undisturbed;
        private volatile @Nullable Throwable failure;

        Actor(Runnable script) {
            this.script = script;
        }

        @Override
        public void run() {
            current.set(this);
            turn.acquireUninterruptibly();
            try {
                script.run();
            } catch (RuntimeException | Error e) {
                failure = e;
            } finally {
                done = true;
                current.remove();
                scheduler.release();
            }
        }
    }
}
