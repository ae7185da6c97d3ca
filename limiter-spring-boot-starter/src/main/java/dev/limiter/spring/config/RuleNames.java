package dev.limiter.spring.config;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleName;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * The names of the rules or of the tiers of a rule, each once. An environment variable spells {@code my-rule} as {@code MYRULE}, which binds to a
 * second rule with the same values: names from different sources are one rule. Within one source, two spellings are two
 * rules that somebody takes for different.
 */
final class RuleNames {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-zA-Z0-9_-]*");

    private RuleNames() {}

    /** Canonical name to the spelling of the last source, which is where the others only override. */
    static Map<String, String> find(String parent, Environment environment, Problems problems) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.adapt(parent, '.');
        Map<String, String> names = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                names.putAll(find(prefix, iterable, problems));
            }
        }
        names.values().forEach(name -> check(parent, name, problems));
        return names;
    }

    private static Map<String, String> find(
            ConfigurationPropertyName parent, IterableConfigurationPropertySource source, Problems problems) {
        Map<String, String> names = new LinkedHashMap<>();
        Set<String> spellings = new HashSet<>();
        for (ConfigurationPropertyName property : source) {
            if (parent.isAncestorOf(property)) {
                String name = property.getElement(parent.getNumberOfElements(), Form.ORIGINAL);
                String other = names.putIfAbsent(RuleName.canonical(name), name);
                if (spellings.add(name) && other != null) {
                    problems.add(
                            MessageCode.SAME_NAME,
                            parent + "." + name,
                            null,
                            "This is the same " + what(parent.toString()) + " as " + parent + "." + other
                                    + ": names that differ only in case, - and _ are the same. Rename one.");
                }
            }
        }
        return names;
    }

    private static void check(String parent, String name, Problems problems) {
        if (!NAME.matcher(name).matches()) {
            problems.add(
                    MessageCode.NAME,
                    parent,
                    name,
                    "A " + what(parent)
                            + "'s name must be letters, digits, '-' and '_', and start with a small letter or digit.");
        }
    }

    private static String what(String parent) {
        return parent.endsWith(".tiers") ? "tier" : "rule";
    }
}
