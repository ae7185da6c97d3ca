package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.MadeUpOption;
import dev.limiter.spring.rule.RuleOptions;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

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
        tables.put("limiter.caps.*.", "A cap: `limiter.caps.<name>`");
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

    /** All keys of a record, and of those in it: of rules, named limits, tiers, candidates and bans. */
    @ParameterizedTest
    @CsvSource({
        "limiter.rules.*., dev.limiter.spring.config.LimiterProperties$Rule, 70",
        "limiter.web.default-limit., dev.limiter.spring.config.LimiterProperties$DefaultLimit, 50",
        "limiter.caps.*., dev.limiter.spring.config.LimiterProperties$Cap, 2"
    })
    void everyKeyIsDescribedWithAHint(String prefix, Class<? extends Record> level, int atLeast) {
        Map<String, Class<?>> keys = keys(prefix, level);
        // a tier and a candidate change how much there is, not what a request takes
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

    @Test
    void aNewOptionIsDescribed() throws IOException {
        JsonNode metadata = new ObjectMapper()
                .readTree(new OptionMetadata()
                        .level("limiter.rules.*.", List.of(MadeUpOption.SPARE))
                        .toString());

        JsonNode property = metadata.get("properties").get(0);
        assertThat(name(property)).isEqualTo("limiter.rules.*.spare-permits");
        assertThat(property.get("type").asText()).isEqualTo("java.lang.Integer");
        assertThat(property.get("defaultValue").asInt()).isEqualTo(2);
        assertThat(property.get("description").asText())
                .isEqualTo("Permits beyond the limit, 1 to 9. For fixed-window.");
        assertThat(metadata.get("hints")
                        .get(0)
                        .get("values")
                        .get(0)
                        .get("value")
                        .asInt())
                .isEqualTo(3);
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

                Every key below `limiter` in `application.yml`. Durations have a unit, `ns us ms s m h d`, or are ISO-8601; \
                lists may also be written with commas. An unknown key stops the start. Made from the metadata that IDEs read.

                Named limits of the automatic limit, of tiers and of candidates have the keys of those of a rule, and its \
                tiers those of the tiers of a rule.
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
            // the same limits and tiers in another place
            boolean again = name.substring(longest.length()).contains("*");
            if (longest.equals(prefix) && !again) {
                String key = name.substring(prefix.length());
                rows.put(
                        key,
                        "| `" + name.replace("*", "<name>") + "` | " + defaultValue(property) + " | "
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
