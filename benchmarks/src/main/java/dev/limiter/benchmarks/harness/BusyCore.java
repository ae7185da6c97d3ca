package dev.limiter.benchmarks.harness;

import java.io.IOException;

/**
 * Keeps one core busy with another process, to measure on a machine with other work. The process ends when this is
 * closed, or with this JVM.
 */
public final class BusyCore implements AutoCloseable {

    private final Process process;

    private BusyCore(Process process) {
        this.process = process;
    }

    public static BusyCore start() throws IOException {
        return new BusyCore(JavaProcess.of(BusyCore.class).start());
    }

    /** Spins until the input ends. */
    public static void main(String[] args) throws IOException {
        Thread spinning = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        });
        spinning.start();
        while (System.in.read() >= 0) {
            // until the input ends
        }
        spinning.interrupt();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
