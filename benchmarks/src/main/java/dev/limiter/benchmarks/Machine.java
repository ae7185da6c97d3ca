package dev.limiter.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The machine on which a table was measured. */
final class Machine {

    private static final Path CPUS = Path.of("/proc/cpuinfo");

    private Machine() {}

    /** Returns processors, memory, JVM and operating system in one line. */
    static String describe() {
        return String.format(
                Locale.ROOT,
                "%d processors (%s), %d GB, %s %s, %s %s",
                Runtime.getRuntime().availableProcessors(),
                model(),
                memoryGigabytes(),
                System.getProperty("java.vm.name"),
                Runtime.version(),
                System.getProperty("os.name"),
                System.getProperty("os.version"));
    }

    /** Returns the number of runnable threads in the last minute. */
    static String load() {
        return String.format(
                Locale.ROOT,
                "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static long memoryGigabytes() {
        var system = ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        return Math.round(system.getTotalMemorySize() / (double) (1 << 30));
    }

    private static String model() {
        if (!Files.isReadable(CPUS)) {
            return System.getProperty("os.arch");
        }
        try {
            return Files.readAllLines(CPUS, StandardCharsets.UTF_8).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
