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
 * Merges different spellings of user-defined names, such as rules, tiers and named limits. An environment variable
 * spells {@code my-rule} as {@code MYRULE}, for which Spring Boot binds a second rule with the same values. Two
 * spellings within one source are a problem.
 */
final class RelaxedNameMerger {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-zA-Z0-9_-]*");

    private RelaxedNameMerger() {}

    /**
     * Returns the bound settings by their name in the last source, which defines the spelling. Sources are read only if
     * a name has two spellings, because reading ten thousand rules takes long.
     *
     * @param parent the parent property of the names, such as {@code limiter.rules}
     */
    static <T> Map<String, T> of(String parent, Map<String, T> bound, Environment environment, Problems problems) {
        Map<String, T> named = distinct(parent, bound, environment, problems);
        named.keySet().forEach(name -> check(parent, name, problems));
        return named;
    }

    /** Like {@link #of}, for names of any form, such as {@code Class.method}. */
    static <T> Map<String, T> distinct(
            String parent, Map<String, T> bound, Environment environment, Problems problems) {
        long names = bound.keySet().stream().map(RuleName::canonical).distinct().count();
        Map<String, String> spellings = names == bound.size() ? Map.of() : spellings(parent, environment, problems);
        Map<String, T> named = new LinkedHashMap<>();
        bound.forEach((name, settings) ->
                named.putIfAbsent(spellings.getOrDefault(RuleName.canonical(name), name), settings));
        return named;
    }

    /** Returns the spelling in the last source by canonical name. */
    private static Map<String, String> spellings(String parent, Environment environment, Problems problems) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.adapt(parent, '.');
        Map<String, String> spellings = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                spellings.putAll(spellings(parent, prefix, iterable, problems));
            }
        }
        return spellings;
    }

    private static Map<String, String> spellings(
            String parent,
            ConfigurationPropertyName prefix,
            IterableConfigurationPropertySource source,
            Problems problems) {
        Map<String, String> spellings = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        for (ConfigurationPropertyName property : source) {
            if (prefix.isAncestorOf(property)) {
                String name = property.getElement(prefix.getNumberOfElements(), Form.ORIGINAL);
                String other = spellings.putIfAbsent(RuleName.canonical(name), name);
                if (seen.add(name) && other != null) {
                    problems.add(
                            MessageCode.SAME_NAME,
                            parent + "." + name,
                            null,
                            "This is the same " + what(parent) + " as " + parent + "." + other
                                    + ": names that differ only in case, - and _ are the same. Rename one.");
                }
            }
        }
        return spellings;
    }

    private static void check(String parent, String name, Problems problems) {
        if (!NAME.matcher(name).matches()) {
            problems.add(BindProblemFactory.wrongName(parent + "." + name));
        }
    }

    /** Returns the singular of {@code rules}, {@code tiers}, {@code limits} or {@code caps}. */
    private static String what(String parent) {
        return parent.substring(parent.lastIndexOf('.') + 1, parent.length() - 1);
    }
}
