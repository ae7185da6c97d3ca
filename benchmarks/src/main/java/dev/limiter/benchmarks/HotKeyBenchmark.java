package dev.limiter.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Ways to make one hot key cheaper for several threads without exceeding a limit: updating one number by "read it,
 * read the clock, compute, swap". All are exact; they differ after a lost race.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-Xmn256m"})
@Threads(2)
@State(Scope.Benchmark)
public class HotKeyBenchmark {

    private static final long EMISSION_INTERVAL = 1;

    private final AtomicLong state = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private long guarded;

    private static long next(long before) {
        return Math.max(before, System.nanoTime()) + EMISSION_INTERVAL;
    }

    @Benchmark
    public long tryAgainAtOnce() {
        while (true) {
            long before = state.get();
            long next = next(before);
            if (state.compareAndSet(before, next)) {
                return next;
            }
        }
    }

    @Benchmark
    public long tryAgainAfterASpinHint() {
        while (true) {
            long before = state.get();
            long next = next(before);
            if (state.compareAndSet(before, next)) {
                return next;
            }
            Thread.onSpinWait();
        }
    }

    @Benchmark
    public long backOffExponentially() {
        for (int spins = 4; ; spins = Math.min(2 * spins, 256)) {
            long before = state.get();
            long next = next(before);
            if (state.compareAndSet(before, next)) {
                return next;
            }
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
        }
    }

    /** Reads the clock before the number, which loses fewer races; but see {@code Cell}. */
    @Benchmark
    public long readTheClockFirst() {
        while (true) {
            long now = System.nanoTime();
            long before = state.get();
            long next = Math.max(before, now) + EMISSION_INTERVAL;
            if (state.compareAndSet(before, next)) {
                return next;
            }
        }
    }

    @Benchmark
    public long monitor() {
        synchronized (this) {
            guarded = next(guarded);
            return guarded;
        }
    }

    @Benchmark
    public long lock() {
        lock.lock();
        try {
            guarded = next(guarded);
            return guarded;
        } finally {
            lock.unlock();
        }
    }
}
