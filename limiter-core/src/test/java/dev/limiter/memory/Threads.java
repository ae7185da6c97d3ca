package dev.limiter.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that start at the same time, for tests of races. */
public final class Threads implements AutoCloseable {

    private final ExecutorService executor = Executors.newCachedThreadPool();

    /** Runs all tasks at once; returns their results in order. */
    public <T> List<T> race(List<Callable<T>> tasks) {
        CyclicBarrier start = new CyclicBarrier(tasks.size());
        AtomicInteger missing = new AtomicInteger(tasks.size());
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> task : tasks) {
            futures.add(executor.submit(() -> {
                start.await();
                // waking up takes longer than the raced operation, so the threads meet again while spinning
                missing.decrementAndGet();
                for (int spins = 0; missing.get() > 0 && spins < 10_000; spins++) {
                    Thread.onSpinWait();
                }
                return task.call();
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            try {
                results.add(future.get());
            } catch (ExecutionException e) {
                throw new AssertionError(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
        return results;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
