package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * The names of the rules, each once. An environment variable spells {@code my-rule} as {@code MYRULE}, which binds to a
 * second rule with the same values: names from different sources are one rule. Within one source, two spellings are two
 * rules that somebody takes for different.
 */
final class RuleNames {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-zA-Z0-9_-]*");
    private static final ConfigurationPropertyName RULES = ConfigurationPropertyName.of("limiter.rules");

    private RuleNames() {}

    /** Canonical name to the spelling of the last source, which is where the others only override. */
    static Map<String, String> find(Environment environment, Problems problems) {
        Map<String, String> names = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                names.putAll(find(iterable, problems));
            }
        }
        names.values().forEach(name -> check(name, problems));
        return names;
    }

    private static Map<String, String> find(IterableConfigurationPropertySource source, Problems problems) {
        Map<String, String> names = new LinkedHashMap<>();
        for (ConfigurationPropertyName property : source) {
            if (RULES.isAncestorOf(property)) {
                String name = property.getElement(RULES.getNumberOfElements(), Form.ORIGINAL);
                String other = names.putIfAbsent(RuleName.canonical(name), name);
                if (other != null && !other.equals(name)) {
                    problems.add(
                            RULES + "." + name,
                            null,
                            "This is the same rule as " + RULES + "." + other
                                    + ": names that differ only in case, - and _ are the same. Rename one.");
                }
            }
        }
        return names;
    }

    private static void check(String name, Problems problems) {
        if (!NAME.matcher(name).matches()) {
            problems.add(
                    RULES.toString(),
                    name,
                    "A rule's name must be letters, digits, '-' and '_', and start with a small letter or digit.");
        }
    }
}
