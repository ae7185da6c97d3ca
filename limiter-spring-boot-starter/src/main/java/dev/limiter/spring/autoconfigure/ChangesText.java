package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.Changes.Target;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.NonPrintableStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads and writes changes as YAML: {@code version} and a list of {@code changes}, each with its settings under {@code
 * set}, as in a rules file. The document is enclosed in braces, so that a truncated one is invalid.
 */
final class ChangesText {

    private ChangesText() {}

    /** Reads all values as strings, including numbers and times. */
    private static Yaml yaml() {
        DumperOptions style = new DumperOptions();
        style.setDefaultFlowStyle(FlowStyle.FLOW);
        style.setPrettyFlow(true);
        style.setSplitLines(false);
        style.setNonPrintableStyle(NonPrintableStyle.ESCAPE);
        LoaderOptions limits = new LoaderOptions();
        limits.setAllowDuplicateKeys(false);
        return new Yaml(new SafeConstructor(limits), new Representer(style), style, limits, new Resolver() {
            @Override
            protected void addImplicitResolvers() {}
        });
    }

    public static String write(Changes changes) {
        List<Map<String, Object>> all = new ArrayList<>();
        changes.all().forEach((target, change) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("rule", target.rule());
            put(one, "key", target.key());
            one.put("set", change.settings());
            one.put("version", Long.toString(change.version()));
            one.put("at", change.at().toString());
            one.put("by", change.by());
            put(one, "reason", change.reason());
            put(one, "until", change.until());
            all.add(one);
        });
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("version", Long.toString(changes.version()));
        document.put("changes", all);
        return yaml().dump(document);
    }

    private static void put(Map<String, Object> one, String name, @Nullable Object value) {
        if (value != null) {
            one.put(name, value.toString());
        }
    }

    /**
     * Reads changes written by {@link #write}. Ignores unknown fields of later versions.
     *
     * @throws IllegalArgumentException if the text is invalid
     */
    public static Changes read(String text) {
        try {
            if (!(yaml().load(text) instanceof Map<?, ?> document)) {
                throw new IllegalArgumentException("not a YAML mapping");
            }
            Map<Target, Change> all = new LinkedHashMap<>();
            for (Object each : (List<?>) needed(document, "changes")) {
                Map<?, ?> one = (Map<?, ?>) each;
                all.put(new Target(text(one, "rule"), (String) one.get("key")), change(one));
            }
            return new Changes(Long.parseLong(text(document, "version")), all);
        } catch (MarkedYAMLException wrong) { // its message would quote client keys
            throw new IllegalArgumentException("Not a document of rule changes: " + wrong.getProblem(), wrong);
        } catch (YAMLException | ClassCastException | DateTimeException | IllegalArgumentException wrong) {
            throw new IllegalArgumentException("Not a document of rule changes: " + wrong.getMessage(), wrong);
        }
    }

    private static Change change(Map<?, ?> one) {
        Map<String, String> settings = new LinkedHashMap<>();
        ((Map<?, ?>) needed(one, "set")).forEach((path, value) -> settings.put((String) path, (String) value));
        String until = (String) one.get("until");
        return new Change(
                settings,
                Long.parseLong(text(one, "version")),
                Instant.parse(text(one, "at")),
                text(one, "by"),
                (String) one.get("reason"),
                until == null ? null : Instant.parse(until));
    }

    private static String text(Map<?, ?> one, String name) {
        return (String) needed(one, name);
    }

    private static Object needed(Map<?, ?> one, String name) {
        Object value = one.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }
}
