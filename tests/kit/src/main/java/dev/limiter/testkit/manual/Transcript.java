package dev.limiter.testkit.manual;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.json.JsonParserFactory;

/** Runs the commands of a page in a shell and compares their output. Functions stay defined. */
public final class Transcript {

    /** Seconds that depend on when a command ran; they may be less than on the page, or a little more. */
    private static final Pattern SECONDS =
            Pattern.compile("(?<=;t=|Retry-After: |retry after |\"retry-after\":)\\d+(?![\\d.])");

    /** How many seconds more than on the page are accepted. */
    private static final int LATER = 60;

    /** Measured durations, times, hashes and threads, which are not compared. */
    private static final Pattern VOLATILE = Pattern.compile("(?<=after )\\d+\\.\\d+(?= s)"
            + "|PT[\\dHM.]*\\d+S"
            + "|\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"
            + "|\\b[0-9a-f]{16}\\b"
            + "|http-nio-[\\w-]+"
            + "|(?<=\\[)[^\\[\\]]*(?=rules\\.yml)");

    /** Standard headers that the manual leaves out, in lower case. */
    private static final Set<String> LEFT_OUT =
            Set.of("date", "content-length", "transfer-encoding", "connection", "keep-alive");

    private static final Pattern FUNCTION = Pattern.compile("\\w+\\(\\) \\{.*}");

    /** A command and its output, which is empty if the page does not show it. */
    public record Step(String command, List<String> output) {

        public boolean isFunction() {
            return FUNCTION.matcher(command).matches();
        }
    }

    private final List<String> functions = new ArrayList<>();
    private final Map<String, String> servers;

    /** @param servers the servers on the page, each with the one that replaces it */
    public Transcript(Map<String, String> servers) {
        this.servers = servers;
    }

    public static List<Step> steps(Manual.Block block) {
        List<Step> steps = new ArrayList<>();
        for (String line : block.lines()) {
            if (line.startsWith("$ ")) {
                steps.add(new Step(line.substring(2), new ArrayList<>()));
            } else {
                steps.get(steps.size() - 1).output().add(line);
            }
        }
        return steps;
    }

    public void replay(Step step) {
        if (step.isFunction()) {
            functions.add(step.command());
        } else {
            check(step.output(), run(step.command()));
        }
    }

    public String run(String command) {
        Programs.onPath("curl");
        if (command.contains("| jq")) {
            Programs.onPath("jq");
        }
        String script = withServers("set -o pipefail\n" + String.join("\n", functions) + "\n" + command);
        assertThat(script).as("servers in a command").doesNotContain(":8080").doesNotContain(":8081");
        ProcessBuilder shell = new ProcessBuilder(Programs.onPath("bash"), "-c", script);
        shell.environment().put("RULE", "login");
        try {
            Process process = shell.redirectError(Redirect.DISCARD).start();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as(() -> command + "\n" + output).isZero();
            return named(output);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(exception);
        }
    }

    private String withServers(String script) {
        String replaced = script;
        for (Map.Entry<String, String> server : servers.entrySet()) {
            replaced = replaced.replace(server.getKey(), server.getValue());
        }
        return replaced;
    }

    /** Restores the names of servers, which redirects contain. */
    private String named(String output) {
        String named = output;
        for (Map.Entry<String, String> server : servers.entrySet()) {
            named = named.replace(server.getValue(), server.getKey());
        }
        return named;
    }

    private static void check(List<String> expected, String output) {
        List<String> lines = output.lines().toList();
        if (expected.isEmpty()) {
            assertThat(output.strip()).isNotEmpty().isNotEqualTo("null").doesNotContain("\"status\":404");
        } else if (expected.get(0).startsWith("HTTP/")) {
            checkHttp(expected, lines);
        } else if (expected.get(0).startsWith("{")) {
            assertThat(json(output)).isEqualTo(json(String.join("\n", expected)));
        } else {
            checkLines(expected, lines);
        }
    }

    private static void checkHttp(List<String> expected, List<String> lines) {
        Set<String> names =
                Set.copyOf(head(expected).stream().map(Transcript::name).toList());
        // the manual leaves out the type of the application's own responses
        boolean withType = names.contains("Content-Type");
        checkLines(
                head(expected),
                head(lines).stream()
                        .map(String::strip)
                        .filter(field -> !LEFT_OUT.contains(name(field).toLowerCase(Locale.ROOT)))
                        .filter(field -> withType || !name(field).equals("Content-Type"))
                        .toList());
        checkLines(body(expected), body(lines));
    }

    private static String name(String field) {
        return field.replaceFirst(":.*", "");
    }

    private static List<String> head(List<String> lines) {
        return lines.subList(0, end(lines));
    }

    private static List<String> body(List<String> lines) {
        return lines.subList(end(lines) + 1, lines.size());
    }

    private static int end(List<String> lines) {
        return lines.stream().map(String::strip).toList().indexOf("");
    }

    private static void checkLines(List<String> expected, List<String> lines) {
        assertThat(masked(lines)).isEqualTo(masked(expected));
        List<Integer> shown = seconds(expected).toList();
        List<Integer> now = seconds(lines).toList();
        assertThat(now).hasSameSizeAs(shown);
        for (int i = 0; i < shown.size(); i++) {
            assertThat(now.get(i)).as(() -> String.join("\n", lines)).isBetween(0, shown.get(i) + LATER);
        }
    }

    private static Stream<Integer> seconds(List<String> lines) {
        return lines.stream()
                .flatMap(line -> SECONDS.matcher(line).results())
                .map(match -> Integer.valueOf(match.group()));
    }

    private static List<String> masked(List<String> lines) {
        return lines.stream()
                .map(line -> masked(SECONDS.matcher(line).replaceAll("~")).strip())
                .toList();
    }

    private static String masked(String text) {
        return VOLATILE.matcher(text).replaceAll("~");
    }

    /** Parses JSON after masking what is not compared. */
    public static Map<String, Object> json(String text) {
        return JsonParserFactory.getJsonParser().parseMap(masked(text));
    }
}
