package dev.limiter.operations;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Ports;
import dev.limiter.testkit.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.opentest4j.TestAbortedException;

/** A local Prometheus that scrapes applications every second. */
final class Prometheus implements AutoCloseable {

    private final Process process;
    private final Clients clients;

    private Prometheus(Process process, int port) {
        this.process = process;
        this.clients = new Clients(port);
    }

    /**
     * @param folder for its configuration and data
     * @param rules a file with alert rules
     * @param applications the ports of the applications
     * @throws TestAbortedException if the machine has no Prometheus: then the test is skipped
     */
    static Prometheus start(Path folder, Path rules, List<Integer> applications) throws IOException {
        String program = Programs.onPath("prometheus");
        Path configuration = Files.writeString(folder.resolve("prometheus.yml"), """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: applications
                    metrics_path: /actuator/prometheus
                    static_configs: [{targets: [%s]}]
                """.formatted(
                rules.toAbsolutePath().normalize(),
                applications.stream().map(port -> "\"localhost:" + port + "\"").collect(Collectors.joining(", "))));
        int port = Ports.free();
        Process process = new ProcessBuilder(
                        program,
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port,
                        "--log.level=warn")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
        Prometheus prometheus = new Prometheus(process, port);
        try {
            Conditions.await(prometheus::isReady);
        } catch (AssertionError late) {
            process.destroyForcibly();
            throw new AssertionError(Files.readString(folder.resolve("prometheus.log")), late);
        }
        return prometheus;
    }

    private boolean isReady() {
        try {
            return clients.get("/-/ready").statusCode() == 200;
        } catch (UncheckedIOException starting) {
            return false;
        }
    }

    /** Returns whether an expression has a series now. */
    boolean has(String expression) {
        HttpResponse<String> response = clients.get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8));
        if (response.statusCode() != 200) {
            throw new AssertionError(expression + ": " + response.body());
        }
        return !JsonPath.<List<?>>read(response.body(), "$.data.result").isEmpty();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
