package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * The names of rules, tiers, limits and floors as their sources have them. Spring Boot leaves characters out of names
 * that are not in brackets, so that {@code für} and {@code fr} are one.
 */
final class WrittenNames {

    /** Names that are no texts in YAML, as Spring Boot writes them. */
    private static final Set<String> WORDS = Set.of("[true]", "[false]");

    private WrittenNames() {}

    /** A part of a property between dots, from {@code start} to {@code end}. */
    private record Element(int start, int end) {}

    /** The problems of names that have characters which Spring Boot leaves out, or that were no texts to YAML. */
    static List<Problem> problems(Iterable<ConfigurationPropertySource> sources) {
        Map<String, Problem> problems = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : sources) {
            properties(source).forEach(property -> add(property, problems));
        }
        return List.copyOf(problems.values());
    }

    /** The properties of a source as they are written; none if it cannot tell. */
    static Stream<String> properties(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof EnumerablePropertySource<?> properties
                ? Stream.of(properties.getPropertyNames())
                : Stream.empty();
    }

    private static void add(String property, Map<String, Problem> problems) {
        for (Element element : misread(property)) {
            String parent = property.substring(0, Math.max(element.start() - 1, 0));
            String where = property.substring(0, element.end());
            if (!problems.containsKey(where) && PropertyNames.hasNames(ConfigurationPropertyName.adapt(parent, '.'))) {
                problems.put(
                        where,
                        where.endsWith("]")
                                ? RelaxedNameMerger.unquotedName(parent, where)
                                : RelaxedNameMerger.wrongName(parent, where));
            }
        }
    }

    /** The elements that are not read whole, and those that YAML has read as true or false. */
    private static List<Element> misread(String property) {
        List<Element> elements = new ArrayList<>();
        int start = 0;
        boolean whole = true;
        for (int i = 0; i <= property.length(); i++) {
            char c = i == property.length() ? '.' : property.charAt(i);
            if (c == '.' || c == '[') {
                if (!whole) {
                    elements.add(new Element(start, i));
                }
                if (c == '[') {
                    int end = end(property, i);
                    if (WORDS.contains(property.substring(i, end + 1))) {
                        elements.add(new Element(i + 1, end + 1));
                    }
                    i = end;
                }
                start = i + 1;
                whole = true;
            } else if (!isRead(c, i == start)) {
                whole = false;
            }
        }
        return elements;
    }

    /** The index of the bracket that closes the one at {@code open}, or of the last character. */
    private static int end(String property, int open) {
        int close = property.indexOf(']', open);
        return close < 0 ? property.length() - 1 : close;
    }

    private static boolean isRead(char c, boolean first) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' && !first;
    }
}
