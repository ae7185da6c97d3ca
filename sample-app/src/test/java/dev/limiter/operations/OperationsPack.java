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
import org.yaml.snakeyaml.Yaml;

/** The content of {@code docs/operations}: the dashboard, the alert rules, and a page for each alert. */
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

    /** Returns the selectors of the series that the dashboard's variables read. */
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

    /** Returns the text of the run-book page for an alert. */
    static String page(String alert) {
        return rules().stream()
                .filter(rule -> alert.equals(rule.get("alert")))
                .map(rule -> ((Map<?, ?>) rule.get("annotations")).get("runbook"))
                .map(page -> text(FOLDER.resolve((String) page)))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the path that the first command of an alert's page requests. */
    static String firstCommand(String alert) {
        Matcher command = COMMAND.matcher(page(alert));
        if (!command.find()) {
            throw new AssertionError("The page of " + alert + " has no command");
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
