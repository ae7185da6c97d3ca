package dev.limiter.operations;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The content of {@code docs/operations}: the dashboard, the alert rules, and the runbook. */
final class OperationsPack {

    static final Path FOLDER = Path.of("../docs/operations");
    static final Path RULES = FOLDER.resolve("limiter-alerts.yml");

    private static final Pattern COMMAND =
            Pattern.compile("^\\$ curl -s [\"']?localhost:8080([^\"'\\s]+)", Pattern.MULTILINE);

    private OperationsPack() {}

    /** Returns the expressions of all panels, with values for the variables of Grafana. */
    static List<String> panels() {
        List<String> expressions = JsonPath.read(dashboard(), "$.panels[*].targets[*].expr");
        return expressions.stream()
                .map(expression -> expression
                        .replace("$application", ".*")
                        .replace("$instance", ".*")
                        .replace("$__rate_interval", "1m"))
                .toList();
    }

    /** Returns the selectors of the series behind the variables of the dashboard. */
    static List<String> variables() {
        List<String> queries = JsonPath.read(dashboard(), "$.templating.list[?(@.type == 'query')].query");
        return queries.stream()
                .map(query ->
                        Pattern.compile("label_values\\((\\w+)[^,]*, (\\w+)\\)").matcher(query))
                .peek(Matcher::matches)
                .map(query -> query.group(1) + "{" + query.group(2) + "!=\"\"}")
                .toList();
    }

    private static String dashboard() {
        return text(FOLDER.resolve("grafana-dashboard.json"));
    }

    /** Returns the expressions of the alerts by name. */
    static Map<String, String> alerts() {
        return rules().stream()
                .collect(Collectors.toMap(rule -> (String) rule.get("alert"), rule -> (String) rule.get("expr")));
    }

    /** Returns the section of the runbook that the {@code runbook_url} of an alert points to. */
    static String section(String alert) {
        String url = rules().stream()
                .filter(rule -> alert.equals(rule.get("alert")))
                .map(rule -> (String) ((Map<?, ?>) rule.get("annotations")).get("runbook_url"))
                .findFirst()
                .orElseThrow();
        String anchor = url.substring(url.indexOf('#') + 1);
        return Stream.of(
                        text(FOLDER.resolve(url.substring(0, url.indexOf('#')))).split("(?m)^## "))
                .filter(section -> section.lines().findFirst().orElse("").equalsIgnoreCase(anchor))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No section for " + url));
    }

    /** Returns the path of the first command in the section of an alert. */
    static String firstCommand(String alert) {
        Matcher command = COMMAND.matcher(section(alert));
        if (!command.find()) {
            throw new AssertionError("The section of " + alert + " has no command");
        }
        return command.group(1);
    }

    private static List<Map<String, Object>> rules() {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file = new Yaml().load(text(RULES));
        List<Map<String, Object>> rules = new ArrayList<>();
        file.get("groups").forEach(group -> rules.addAll(group.get("rules")));
        return rules;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }
}
