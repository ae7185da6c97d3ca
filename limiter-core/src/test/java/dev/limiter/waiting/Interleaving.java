package dev.limiter.waiting;

import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs threads one at a time, and switches between them pseudo-randomly when they read the clock, acquire a lock or
 * release one. Failures can be repeated with the seed.
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

    /** Runs all scripts to the end; rethrows the first exception. */
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

    /** Allows switching to another thread. */
    void pause() {
        Actor actor = current.get();
        if (actor != null) {
            yieldTo(actor);
        }
    }

    private void yieldTo(Actor actor) {
        scheduler.release();
        actor.turn.acquireUninterruptibly();
    }

    /** Returns a lock that allows switching threads. */
    ReentrantLock lock() {
        return new Lock();
    }

    private final class Lock extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        @Override
        public void lock() {
            pause();
            while (!super.tryLock()) {
                yieldTo(Objects.requireNonNull(current.get()));
            }
        }

        @Override
        public void unlock() {
            super.unlock();
            pause();
        }
    }

    private final class Actor implements Runnable {

        private final Runnable script;
        private final Semaphore turn = new Semaphore(0);
        private volatile boolean done;
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
