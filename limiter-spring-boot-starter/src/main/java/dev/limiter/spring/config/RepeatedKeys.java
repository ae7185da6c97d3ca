package dev.limiter.spring.config;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.CompositePropertySource;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Keys that a source has twice, in two spellings such as {@code max-wait} and {@code maxWait}: Spring Boot reads one of
 * the values. Two spellings of a name are {@link RelaxedNameMerger}'s.
 */
final class RepeatedKeys {

    private static final String PREFIX = LimiterProperties.PREFIX + ".";

    private RepeatedKeys() {}

    /** The problems of keys that a source has twice. */
    static List<Problem> problems(Iterable<ConfigurationPropertySource> sources) {
        List<Problem> problems = new ArrayList<>();
        for (ConfigurationPropertySource source : sources) {
            parts(source.getUnderlyingSource())
                    .forEach(part -> bySpelling(part).values().stream()
                            .filter(spellings -> spellings.size() > 1 && isOneKey(spellings))
                            .forEach(spellings -> problems.add(problem(spellings, part))));
        }
        return problems;
    }

    private static Stream<EnumerablePropertySource<?>> parts(@Nullable Object source) {
        if (source instanceof CompositePropertySource composite) {
            return composite.getPropertySources().stream().flatMap(RepeatedKeys::parts);
        }
        return source instanceof EnumerablePropertySource<?> properties ? Stream.of(properties) : Stream.empty();
    }

    private static Map<String, List<String>> bySpelling(EnumerablePropertySource<?> source) {
        return Stream.of(source.getPropertyNames())
                .filter(property -> property.regionMatches(true, 0, PREFIX, 0, PREFIX.length()))
                .collect(Collectors.groupingBy(RuleName::canonical, LinkedHashMap::new, Collectors.toList()));
    }

    private static Problem problem(List<String> spellings, EnumerablePropertySource<?> source) {
        return new Problem(
                MessageCode.SAME_NAME,
                read(spellings),
                null,
                spellings.stream()
                        .map(spelling -> spelling + " (" + PropertySourceOrigin.get(source, spelling) + ")")
                        .collect(Collectors.joining(" and ", "This is written twice: ", ". Remove one.")));
    }

    /** The spelling that Spring Boot asks for first. */
    private static String read(List<String> spellings) {
        return spellings.stream()
                .filter(ConfigurationPropertyName::isValid)
                .max(Comparator.comparingInt(String::length))
                .orElseGet(() ->
                        ConfigurationPropertyName.adapt(spellings.get(0), '.').toString());
    }

    private static boolean isOneKey(List<String> spellings) {
        ConfigurationPropertyName first = ConfigurationPropertyName.adapt(spellings.get(0), '.');
        return PropertyNames.isKnown(first.getElement(1, Form.UNIFORM))
                && spellings.stream()
                        .skip(1)
                        .map(other -> ConfigurationPropertyName.adapt(other, '.'))
                        .allMatch(other -> first.equals(other) && hasSameNames(first, other));
    }

    private static boolean hasSameNames(ConfigurationPropertyName first, ConfigurationPropertyName other) {
        for (int depth = 2; depth < first.getNumberOfElements(); depth++) {
            boolean same = first.getElement(depth, Form.ORIGINAL).equals(other.getElement(depth, Form.ORIGINAL));
            if (!same && PropertyNames.hasNames(first.chop(depth))) {
                return false;
            }
        }
        return true;
    }
}
