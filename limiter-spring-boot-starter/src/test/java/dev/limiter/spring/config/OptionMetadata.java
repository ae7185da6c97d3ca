package dev.limiter.spring.config;

import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Generates metadata for the options of rules, limits and bans: their description, default and suggestions, at each
 * place where they can be configured. The build runs this file before it compiles the starter, so it may only use the
 * modules below the starter.
 */
final class OptionMetadata {

    private static final String OF_RULE = "the value of the rule";
    private static final Set<Option<?>> ELSEWHERE_FOR_DEFAULT =
            Set.of(RuleOptions.PATHS, RuleOptions.METHODS, RuleOptions.PHASE, RuleOptions.SCOPE);

    private final List<String> properties = new ArrayList<>();
    private final List<String> hints = new ArrayList<>();

    /** Reads metadata from the first file, adds that of all options, and writes it to the second file. */
    public static void main(String... files) throws IOException {
        OptionMetadata metadata = new OptionMetadata().rule("limiter.rules.*.", RuleOptions.ALL);
        metadata.candidate("limiter.rules.*.candidate.");
        metadata.level("limiter.rules.*.", BanOptions.ALL);
        metadata.rule(
                "limiter.web.default-limit.",
                RuleOptions.ALL.stream()
                        .filter(option -> !ELSEWHERE_FOR_DEFAULT.contains(option))
                        .toList());
        Path target = Path.of(files[1]);
        Files.createDirectories(target.toAbsolutePath().getParent());
        Files.writeString(target, metadata.into(Files.readString(Path.of(files[0]))));
    }

    /** Adds options with a common prefix. */
    OptionMetadata level(String prefix, List<? extends Option<?>> options) {
        options.forEach(option -> add(prefix, option, option.description(), true));
        return this;
    }

    private OptionMetadata rule(String prefix, List<Option<?>> options) {
        level(prefix, LimitOptions.OF_RULE);
        level(prefix, options);
        level(prefix + "limits.*.", LimitOptions.OF_NAMED);
        return candidate(prefix + "tiers.*.");
    }

    /** Adds options of limits that override those of a rule. */
    private OptionMetadata candidate(String prefix) {
        for (String place : List.of(prefix, prefix + "limits.*.")) {
            LimitOptions.OF_RULE.forEach(option -> add(place, option, option.description(OF_RULE), false));
        }
        return this;
    }

    private void add(String prefix, Option<?> option, String description, boolean hasDefault) {
        String name = "\"name\": " + json(prefix + option.name());
        String type = option.isList()
                ? "java.util.List<java.lang.String>"
                : option.type().getName();
        properties.add(Stream.of(
                        name,
                        "\"type\": " + json(type),
                        "\"description\": " + json(description),
                        hasDefault && option.defaultValue() != null
                                ? "\"defaultValue\": " + json(option.defaultValue())
                                : "")
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", ", "{", "}")));
        if (!option.suggestions().isEmpty() || option.standsFor() != null) {
            hints.add("{" + name + ", \"values\": " + values(option) + ", \"providers\": [" + provider(option) + "]}");
        }
    }

    private static String values(Option<?> option) {
        return option.suggestions().stream()
                .map(suggestion -> "{\"value\": " + json(suggestion.value())
                        + (suggestion.meaning() == null ? "" : ", \"description\": " + json(suggestion.meaning()))
                        + "}")
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String provider(Option<?> option) {
        Class<?> type = option.standsFor();
        if (type == null) {
            return option.type().isEnum() ? "" : "{\"name\": \"any\"}";
        }
        return "{\"name\": \"" + (type == Duration.class ? "handle-as" : "spring-bean-reference")
                + "\", \"parameters\": {\"target\": " + json(type.getName()) + "}}";
    }

    /** Returns metadata with these properties and hints inserted before the existing ones. */
    private String into(String metadata) {
        return insert(insert(metadata, "properties", properties), "hints", hints);
    }

    private static String insert(String metadata, String list, List<String> entries) {
        String start = "  \"" + list + "\": [";
        if (!metadata.contains(start + "\n")) {
            throw new IllegalArgumentException("The metadata has no list " + list);
        }
        return metadata.replace(
                "\n" + start,
                entries.stream()
                        .collect(Collectors.joining(",\n    ", "\n" + start + "\n    ", entries.isEmpty() ? "" : ",")));
    }

    private static String json(Object value) {
        if (value instanceof Number) {
            return value.toString();
        }
        String text = value instanceof Enum<?> constant ? EnumText.of(constant) : value.toString();
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @Override
    public String toString() {
        return "{\n  \"properties\": [" + String.join(",\n", properties) + "],\n  \"hints\": ["
                + String.join(",\n", hints) + "]\n}\n";
    }
}
