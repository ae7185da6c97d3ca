package dev.limiter.benchmarks.web;

import dev.limiter.benchmarks.harness.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link HelloApplication} in a child process, which ends when this is closed, or with this process. */
final class ServerProcess implements AutoCloseable {

    private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in ");
    private static final Pattern FAILURES = Pattern.compile("Non-2xx|Socket errors");
    private static final int CONNECTIONS = 16;

    private final Process process;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** The server's CPU time for a request, and its requests per second. */
    record Load(double micros, double perSecond) {}

    static ServerProcess start(Variant variant, String... properties) throws IOException {
        Process process = JavaProcess.of(HelloApplication.class, variant.profile())
                .arguments(List.of(properties))
                .jvmOptions(List.of("-Xms512m", "-Xmx512m", "-Xmn256m", "-XX:+AlwaysPreTouch"))
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith("port ")) {
                return new ServerProcess(process, Integer.parseInt(line.substring("port ".length())));
            }
        }
        throw new IOException(variant + " did not start");
    }

    /** Calls the application with {@code wrk} for some seconds. */
    Load load(int seconds) throws IOException, InterruptedException {
        Duration before = cpu();
        double requests = wrk(seconds);
        return new Load(cpu().minus(before).toNanos() / 1e3 / requests, requests / seconds);
    }

    private Duration cpu() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .orElseThrow(
                        () -> new IllegalStateException("This platform does not report the CPU time of a process"));
    }

    private long wrk(int seconds) throws IOException, InterruptedException {
        Process wrk = new ProcessBuilder(
                        "wrk",
                        "-t1",
                        "-c" + CONNECTIONS,
                        "-d" + seconds + "s",
                        "--timeout",
                        "30s",
                        "http://127.0.0.1:" + port + "/hello")
                .redirectErrorStream(true)
                .start();
        String report;
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(wrk.getInputStream(), StandardCharsets.UTF_8))) {
            report = String.join("\n", output.lines().toList());
        }
        Matcher requests = REQUESTS.matcher(report);
        if (wrk.waitFor() != 0 || FAILURES.matcher(report).find() || !requests.find()) {
            throw new IOException("wrk says: " + report);
        }
        return Long.parseLong(requests.group(1));
    }

    @Override
    public void close() {
        process.destroy();
    }
}
