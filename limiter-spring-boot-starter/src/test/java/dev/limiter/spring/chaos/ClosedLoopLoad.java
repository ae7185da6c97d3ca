package dev.limiter.spring.chaos;

import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Connection;
import dev.limiter.testkit.RealTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Clients of all instances. Each sends a request after the previous response, and counts responses. */
final class ClosedLoopLoad implements AutoCloseable {

    /** Clients per instance. */
    static final int CLIENTS = 4;

    private final String apiKey;
    private final Map<String, LongAdder> answers = new ConcurrentHashMap<>();
    private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> clients = new ArrayList<>();
    private volatile int calm;
    private volatile boolean over;

    ClosedLoopLoad(String apiKey, List<Integer> ports, String... paths) {
        this.apiKey = apiKey;
        for (int port : ports) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> {
                    send(port, paths);
                    return null;
                }));
            }
        }
    }

    private void send(int port, String[] paths) throws IOException {
        try (Connection connection = new Connection(port)) {
            for (int i = 0; !over; i++) {
                String path = paths[i % paths.length];
                long begun = System.nanoTime();
                int status = connection.get(path, apiKey);
                nanos.add(System.nanoTime() - begun);
                answers.computeIfAbsent(path + " " + status, absent -> new LongAdder())
                        .increment();
                if (status >= 500) {
                    // unexpected, and the rest does not matter
                    return;
                }
                // many requests, but without taking all CPU from the applications
                RealTime.pass(Duration.ofMillis(3));
            }
        }
    }

    long count(String path, int status) {
        LongAdder count = answers.get(path + " " + status);
        return count == null ? 0 : count.sum();
    }

    /** Waits for a number of further responses. */
    void awaitMore(String path, int status, long more) {
        long goal = count(path, status) + more;
        if (!Conditions.isMetWithin(Duration.ofSeconds(60), () -> count(path, status) >= goal)) {
            throw new IllegalStateException("No further responses with " + status + ": " + this);
        }
    }

    /** Starts to measure {@link #longest()}. */
    void endCalm() {
        calm = nanos.size();
    }

    /** Returns the time of the slowest request since then. */
    Duration longest() {
        return nanos.stream()
                .skip(calm)
                .max(Long::compare)
                .map(Duration::ofNanos)
                .orElse(Duration.ZERO);
    }

    @Override
    public String toString() {
        return answers.toString();
    }

    /** Returns after all responses have arrived. */
    @Override
    public void close() {
        over = true;
        try {
            for (Future<?> client : clients) {
                client.get();
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        } finally {
            threads.shutdownNow();
        }
    }

    Map<String, LongAdder> answers() {
        return answers;
    }
}
