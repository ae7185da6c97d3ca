package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The metadata of the properties, for IDEs, and the page of the manual that is made of it. */
class ConfigurationReferenceTests {

    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
    private static final Path PAGE = Path.of("../docs/reference/configuration.md");

    /** Prefixes of the tables, and their headings. */
    private static final Map<String, String> TABLES = tables();

    private static JsonNode metadata;

    @BeforeAll
    static void read() throws IOException {
        metadata = new ObjectMapper().readTree(METADATA.toFile());
    }

    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("limiter.", "All limits");
        tables.put("limiter.rules.*.", "A rule: `limiter.rules.<name>`");
        tables.put("limiter.rules.*.limits.*.", "One of several limits: `limiter.rules.<name>.limits.<name>`");
        tables.put("limiter.rules.*.tiers.*.", "A tier: `limiter.rules.<name>.tiers.<name>`");
        tables.put("limiter.rules.*.ban.", "A ban: `limiter.rules.<name>.ban`");
        tables.put("limiter.web.", "Requests: `limiter.web`");
        tables.put("limiter.web.default-limit.", "The automatic limit: `limiter.web.default-limit`");
        tables.put("limiter.redis.", "Redis: `limiter.redis`");
        tables.put("limiter.aspect.", "Methods: `limiter.aspect`");
        return tables;
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

    @ParameterizedTest
    @ValueSource(classes = {LimiterProperties.Rule.class, LimiterProperties.NamedLimit.class})
    void everyKeyOfARuleIsInTheMetadata(Class<?> level) {
        String prefix = level == LimiterProperties.Rule.class ? "limiter.rules.*." : "limiter.rules.*.limits.*.";
        List<String> names = names("properties");
        assertThat(PropertyNames.of(level))
                .allSatisfy(key -> assertThat(names)
                        .anyMatch(name -> name.equals(prefix + key) || name.startsWith(prefix + key + ".")));
    }

    @Test
    void everyHintIsOfAProperty() {
        List<String> properties = names("properties");
        assertThat(names("hints")).isNotEmpty().isSubsetOf(properties);
    }

    private static List<String> names(String part) {
        return StreamSupport.stream(metadata.get(part).spliterator(), false)
                .map(ConfigurationReferenceTests::name)
                .toList();
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Configuration

                Every key below `limiter` in `application.yml`. Durations have a unit, `ns us ms s m h d`, or are ISO-8601; \
                lists may also be written with commas. An unknown key stops the start. Made from the metadata that IDEs read.
                """);
        TABLES.forEach((prefix, heading) -> {
            page.append("\n## ").append(heading).append("\n\n| key | default | meaning |\n| --- | --- | --- |\n");
            rows(prefix).forEach((key, row) -> page.append(row));
        });
        return page.toString();
    }

    private static Map<String, String> rows(String prefix) {
        Map<String, String> rows = new TreeMap<>();
        for (JsonNode property : metadata.get("properties")) {
            String name = name(property);
            if (!name.startsWith("limiter.")) {
                continue; // of Actuator, which describes them
            }
            String longest = TABLES.keySet().stream()
                    .filter(name::startsWith)
                    .max((a, b) -> a.length() - b.length())
                    .orElseThrow();
            if (longest.equals(prefix)) {
                String key = name.substring(prefix.length());
                rows.put(
                        key,
                        "| `" + key + "` | " + defaultValue(property) + " | "
                                + property.get("description").asText().replace("|", "\\|") + values(property)
                                + " |\n");
            }
        }
        return rows;
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

    /** The constants of an enum, as they are written. */
    private static String values(JsonNode property) {
        try {
            Class<?> type = Class.forName(property.get("type").asText().replaceAll("<.*", ""));
            return !type.isEnum()
                    ? ""
                    : Arrays.stream(type.getEnumConstants())
                            .map(value -> ((Enum<?>) value)
                                    .name()
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'))
                            .collect(Collectors.joining("`, `", " One of `", "`."));
        } catch (ClassNotFoundException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
