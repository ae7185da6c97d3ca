package dev.limiter.benchmarks.redis;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The results of a short time in which many threads use one contender.
 *
 * @param perSecond decisions per second
 * @param permitted the share of permitted decisions
 * @param redisMicros the CPU time of the server for one decision
 * @param jvmMicros the CPU time of this process for one decision
 */
record Slice(double perSecond, double permitted, double redisMicros, double jvmMicros) {

    private static final int THREADS = 32;
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** Runs a slice over the first {@code keys} keys, at random. */
    static Slice of(Contender contender, int[] keys, Duration length, LocalRedis server) throws InterruptedException {
        List<Worker> workers = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            Worker worker = new Worker(contender.decider(), keys, i, start);
            worker.start();
            workers.add(worker);
        }
        double redisBefore = server.cpuMicros();
        long jvmBefore = SYSTEM.getProcessCpuTime();
        long began = System.nanoTime();
        start.countDown();
        Thread.sleep(length.toMillis());
        long decisions = 0;
        long permitted = 0;
        workers.forEach(worker -> worker.stopped = true);
        for (Worker worker : workers) {
            worker.join();
            if (worker.failure != null) {
                throw new IllegalStateException(contender.name() + " failed", worker.failure);
            }
            decisions += worker.decisions;
            permitted += worker.permitted;
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        double redis = server.cpuMicros() - redisBefore;
        double jvm = (SYSTEM.getProcessCpuTime() - jvmBefore) / 1e3;
        return new Slice(decisions / seconds, (double) permitted / decisions, redis / decisions, jvm / decisions);
    }

    private static final class Worker extends Thread {

        private final Contender.Decider decider;
        private final int[] keys;
        private final SplittableRandom random;
        private final CountDownLatch start;

        private long decisions;
        private long permitted;
        private volatile boolean stopped;
        private @Nullable Throwable failure;

        Worker(Contender.Decider decider, int[] keys, int seed, CountDownLatch start) {
            this.decider = decider;
            this.keys = keys;
            this.random = new SplittableRandom(seed);
            this.start = start;
        }

        @Override
        public void run() {
            try {
                start.await();
                while (!stopped) {
                    int key = keys.length == 1 ? keys[0] : keys[random.nextInt(keys.length)];
                    permitted += decider.decide(key) ? 1 : 0;
                    decisions++;
                }
            } catch (Exception | Error e) {
                failure = e;
            }
        }
    }
}
