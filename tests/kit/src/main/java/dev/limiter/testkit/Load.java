package dev.limiter.testkit;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** Sends requests at a steady rate until closed. */
public final class Load implements AutoCloseable {

    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
    private final ExecutorService clients = Executors.newCachedThreadPool();

    /** Sends requests with consecutive numbers from 0 to {@code last}. */
    public void send(int perSecond, int last, IntConsumer request) {
        int[] next = {0};
        Future<?> unused = clock.scheduleAtFixedRate(
                () -> {
                    int number = next[0]++;
                    if (number < last) {
                        clients.execute(() -> request.accept(number));
                    }
                },
                0,
                1_000_000 / perSecond,
                TimeUnit.MICROSECONDS);
    }

    public void send(int perSecond, IntConsumer request) {
        send(perSecond, Integer.MAX_VALUE, request);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        clients.shutdownNow();
    }
}
