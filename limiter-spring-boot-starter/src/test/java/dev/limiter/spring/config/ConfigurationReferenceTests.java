package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleOptions;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

/** The metadata of the properties for IDEs, and the page of the manual that is generated from it. */
class ConfigurationReferenceTests {

    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
    private static final Path PAGE = Path.of("../docs/reference/configuration.md");

    /** The headings of the tables by prefix. */
    private static final Map<String, String> TABLES = tables();

    /** The places where options of rules are repeated, with the link to their entries. */
    private static final Map<String, String> REPEATED = repeated();

    private static JsonNode metadata;

    @BeforeAll
    static void read() throws IOException {
        metadata = new ObjectMapper().readTree(METADATA.toFile());
    }

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("limiter.", "General: `limiter`");
        tables.put("limiter.web.", "Requests: `limiter.web`");
        tables.put("limiter.redis.", "Redis: `limiter.redis`");
        tables.put("limiter.rules.*.", "Rules: `limiter.rules.<name>`");
        tables.put("limiter.rules.*.ban.", "Bans: `limiter.rules.<name>.ban`");
        tables.put("limiter.rules.*.limits.*.", "Named limits: `limiter.rules.<name>.limits.<name>`");
        tables.put("limiter.rules.*.tiers.*.", "Tiers: `limiter.rules.<name>.tiers.<name>`");
        tables.put("limiter.rules.*.candidate.", "Candidates: `limiter.rules.<name>.candidate`");
        tables.put("limiter.web.default-limit.", "Automatic limit: `limiter.web.default-limit`");
        tables.put("limiter.caps.*.", "Caps: `limiter.caps.<name>`");
        tables.put("limiter.aspect.", "Methods: `limiter.aspect`");
        tables.put("limiter.dashboard.", "Dashboard: `limiter.dashboard`");
        return tables;
    }

    private static Map<String, String> repeated() {
        String ofRule = "As for [rules](#limiter.rules)";
        Map<String, String> repeated = new LinkedHashMap<>();
        repeated.put("limiter.rules.*.limits.*.", ofRule);
        repeated.put("limiter.rules.*.tiers.*.", ofRule + ", with the value of the rule as default");
        repeated.put("limiter.rules.*.candidate.", ofRule + ", with the value of the rule as default");
        repeated.put("limiter.web.default-limit.", ofRule);
        return repeated;
    }

    /** After a change, run this test with {@code -Dwrite.reference=true}. */
    @Test
    void pageShowsTheMetadata() throws IOException {
        String page = page();
        if (Boolean.getBoolean("write.reference")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).hasContent(page);
    }

    @Test
    void everyPropertyIsDescribed() {
        assertThat(metadata.get("properties")).allSatisfy(property -> {
            assertThat(property.path("description").asText()).as(name(property)).isNotEmpty();
            assertThat(property.path("type").asText()).as(name(property)).isNotEmpty();
        });
    }

    /** All keys of a record and of nested records: rules, named limits, tiers, candidates and bans. */
    @ParameterizedTest
    @CsvSource({
        "limiter.rules.*., dev.limiter.spring.config.LimiterProperties$Rule, 70",
        "limiter.web.default-limit., dev.limiter.spring.config.LimiterProperties$DefaultLimit, 50",
        "limiter.caps.*., dev.limiter.spring.config.LimiterProperties$Cap, 2"
    })
    void everyKeyIsDescribedWithAHint(String prefix, Class<? extends Record> level, int atLeast) {
        Map<String, Class<?>> keys = keys(prefix, level);
        // tiers and candidates change the limit, not the cost of requests
        keys.keySet().removeIf(key -> key.matches(".*(tiers\\.\\*|candidate)\\.limits\\.\\*\\.cost"));
        Map<String, JsonNode> properties = byName("properties");
        Map<String, JsonNode> hints = byName("hints");
        assertThat(keys).hasSizeGreaterThanOrEqualTo(atLeast).allSatisfy((key, type) -> {
            assertThat(properties.get(key)).as(key).isNotNull();
            assertThat(properties.get(key).path("description").asText()).endsWith(".");
            assertThat(properties.get(key).path("type").asText()).startsWith(type.getName());
            if (type == Map.class) {
                assertThat(hints.get(key + ".keys")).as(key).isNotNull();
            } else if (!type.isEnum() && type != Boolean.class) {
                JsonNode hint = hints.get(key);
                assertThat(hint).as(key).isNotNull();
                assertThat(hint.path("values").size() + hint.path("providers").size())
                        .as(key)
                        .isPositive();
            }
        });
    }

    private static Map<String, Class<?>> keys(String prefix, Class<?> level) {
        Map<String, Class<?>> keys = new TreeMap<>();
        for (RecordComponent component : level.getRecordComponents()) {
            String key = component.getName().equals("duration")
                    ? "for"
                    : DataObjectPropertyName.toDashedForm(component.getName());
            ResolvableType type = ResolvableType.forType(component.getGenericType());
            boolean ignored = prefix.contains("candidate.") && key.equals("unlimited");
            if (type.toClass().isRecord()) {
                keys.putAll(keys(prefix + key + ".", type.toClass()));
            } else if (!ignored) {
                keys.put(prefix + key, type.toClass());
            }
            if (type.toClass() == Map.class) {
                keys.putAll(keys(prefix + key + ".*.", type.getGeneric(1).toClass()));
            }
        }
        return keys;
    }

    @Test
    void everyDefaultIsThatOfTheOption() {
        Map<String, JsonNode> properties = byName("properties");
        Map.of(
                        "limiter.rules.*.", RuleOptions.ALL,
                        "limiter.rules.*.limits.*.", LimitOptions.OF_NAMED,
                        "limiter.web.default-limit.", LimitOptions.OF_RULE)
                .forEach((prefix, options) -> assertThat(options)
                        .filteredOn(option -> option.defaultValue() != null)
                        .isNotEmpty()
                        .allSatisfy(option -> assertThat(properties
                                        .get(prefix + option.name())
                                        .path("defaultValue")
                                        .asText())
                                .isEqualTo(
                                        option.defaultValue() instanceof Enum<?> constant
                                                ? EnumText.of(constant)
                                                : String.valueOf(option.defaultValue()))));
    }

    @Test
    void everyHintIsOfAProperty() {
        List<String> properties = names("properties");
        assertThat(names("hints")).isNotEmpty().allMatch(name -> properties.contains(name.replaceAll("\\.keys$", "")));
    }

    private static Map<String, JsonNode> byName(String part) {
        Map<String, JsonNode> byName = new TreeMap<>();
        metadata.get(part).forEach(entry -> byName.put(name(entry), entry));
        return byName;
    }

    private static List<String> names(String part) {
        return StreamSupport.stream(metadata.get(part).spliterator(), false)
                .map(ConfigurationReferenceTests::name)
                .toList();
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Configuration

                Every property below `limiter` in `application.yml`, since 0.1.0. Unknown properties fail at startup.

                - A duration has a unit, `ns us ms s m h d`, or is written in ISO-8601: `500ms`, `10s`, `PT1H`.
                - A list may also be written as one string with commas.
                - An expression is written in SpEL: `#{…}`.
                - Each property can be linked to: `configuration.md#limiter.web.status`, or without the name of the rule \
                `configuration.md#limiter.rules.limit`.
                """);
        TABLES.forEach((prefix, heading) -> {
            String anchor = anchor(prefix.substring(0, prefix.length() - 1));
            page.append("\n## ")
                    .append(heading)
                    .append("\n<a id=\"")
                    .append(anchor)
                    .append("\"></a>\n");
            Map<String, JsonNode> properties = properties(prefix);
            String repeated = REPEATED.get(prefix);
            if (repeated != null) {
                String links = properties.keySet().stream()
                        .filter(key -> isRepeated(prefix, key))
                        .map(key -> "<a id=\"" + anchor(prefix + key) + "\"></a>[`" + key + "`](#limiter.rules." + key
                                + ")")
                        .collect(Collectors.joining(", "));
                page.append("\n").append(repeated).append(": ").append(links).append(".\n");
                properties.keySet().removeIf(key -> isRepeated(prefix, key));
            }
            if (!properties.isEmpty()) {
                page.append("\n| property | type | default | description |\n| --- | --- | --- | --- |\n");
                properties.forEach((key, property) -> page.append(row(prefix, key, property)));
            }
        });
        return page.toString();
    }

    /** Returns whether an option has the same meaning as the option of a rule with this name. */
    private static boolean isRepeated(String prefix, String key) {
        boolean ofLimit = prefix.equals("limiter.rules.*.limits.*.") && key.equals("cost");
        return REPEATED.containsKey(prefix)
                && !ofLimit
                && !(key.equals("limits") && !prefix.endsWith("default-limit."))
                && byName("properties").containsKey("limiter.rules.*." + key);
    }

    private static Map<String, JsonNode> properties(String prefix) {
        Map<String, JsonNode> found = new TreeMap<>();
        for (JsonNode property : metadata.get("properties")) {
            String name = name(property);
            if (!name.startsWith("limiter.")) {
                continue; // of Actuator, which describes them
            }
            String longest = TABLES.keySet().stream()
                    .filter(name::startsWith)
                    .max((a, b) -> a.length() - b.length())
                    .orElseThrow();
            // the same limits and tiers, nested in another property
            boolean again = name.substring(longest.length()).contains("*");
            if (longest.equals(prefix) && !again) {
                found.put(name.substring(prefix.length()), property);
            }
        }
        return found;
    }

    private static String anchor(String name) {
        return name.replace(".*", "");
    }

    private static String row(String prefix, String key, JsonNode property) {
        String anchor = anchor(prefix + key);
        String shown = "`" + (prefix.contains("*") ? "" : prefix) + key + "`";
        boolean hasTable = TABLES.keySet().stream().anyMatch(other -> other.startsWith(prefix + key + "."));
        return "| " + (hasTable ? "[" + shown + "](#" + anchor + ")" : "<a id=\"" + anchor + "\"></a>" + shown) + " | "
                + type(property) + " | " + defaultValue(property) + " | "
                + (property.get("description").asText() + example(property)).replace("|", "\\|") + " |\n";
    }

    /** Returns the first suggested value, unless the description already contains an example. */
    private static String example(JsonNode property) {
        JsonNode hint = byName("hints").getOrDefault(name(property), property);
        String value = hint.path("values").path(0).path("value").asText();
        boolean shown = value.isEmpty()
                || property.get("description").asText().contains("such as")
                || property.get("description").asText().contains(value + " ")
                || property.path("defaultValue").asText().equals(value)
                || type(property).contains("<br>");
        return shown ? "" : " Example: `" + value + "`.";
    }

    private static String name(JsonNode property) {
        return property.get("name").asText();
    }

    private static String defaultValue(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        if (value.isMissingNode()) {
            return "";
        }
        String text = value.isArray()
                ? Arrays.stream(new ObjectMapper().convertValue(value, String[].class))
                        .collect(Collectors.joining(", "))
                : value.asText();
        return "`" + text + "`";
    }

    private static String type(JsonNode property) {
        Class<?> type = javaType(property);
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(value -> "`" + EnumText.of((Enum<?>) value) + "`")
                    .collect(Collectors.joining("<br>"));
        }
        if (Map.class.isAssignableFrom(type)) {
            return "map";
        }
        if (List.class.isAssignableFrom(type)) {
            return "list";
        }
        if (Number.class.isAssignableFrom(type)) {
            return "number";
        }
        boolean duration = byName("hints")
                .getOrDefault(name(property), property)
                .toString()
                .contains("java.time.Duration");
        return type == Boolean.class
                ? "boolean"
                : duration || name(property).endsWith("window") ? "duration" : "string";
    }

    private static Class<?> javaType(JsonNode property) {
        try {
            return Class.forName(property.get("type").asText().replaceAll("<.*", ""));
        } catch (ClassNotFoundException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
