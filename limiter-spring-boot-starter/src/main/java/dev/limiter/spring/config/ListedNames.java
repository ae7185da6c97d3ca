package dev.limiter.spring.config;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * Lists in the place of names, for which Spring Boot takes the positions: {@code 0}, {@code 1} and so on. Limits may be
 * a list: their names only tell them apart.
 */
final class ListedNames {

    private ListedNames() {}

    /** The properties that are lists, and need names. */
    static Set<ConfigurationPropertyName> in(Iterable<ConfigurationPropertySource> sources) {
        Set<ConfigurationPropertyName> lists = new LinkedHashSet<>();
        for (ConfigurationPropertySource source : sources) {
            // in variables, a number between underscores may be a name as well
            List<ConfigurationPropertyName> properties = WrittenNames.properties(source)
                    .filter(property -> property.indexOf('[') > 0)
                    .map(property -> ConfigurationPropertyName.adapt(property, '.'))
                    .filter(LimiterBindHandler.ROOT::isAncestorOf)
                    .toList();
            for (ConfigurationPropertyName parent : withFirst(properties)) {
                if (isList(parent, source)) {
                    lists.add(parent);
                }
            }
        }
        return lists;
    }

    /** The properties with names that have something at position 0. */
    private static Set<ConfigurationPropertyName> withFirst(List<ConfigurationPropertyName> properties) {
        Set<ConfigurationPropertyName> parents = new LinkedHashSet<>();
        for (ConfigurationPropertyName property : properties) {
            for (int depth = 1; depth < property.getNumberOfElements(); depth++) {
                if (property.isNumericIndex(depth)
                        && property.getElement(depth, Form.UNIFORM).equals("0")) {
                    parents.add(property.chop(depth));
                }
            }
        }
        parents.removeIf(parent -> !PropertyNames.hasNames(parent) || mayBeList(parent));
        return parents;
    }

    /** Whether a property with names may also be a list. */
    static boolean mayBeList(ConfigurationPropertyName parent) {
        return parent.getLastElement(Form.UNIFORM).equals("limits");
    }

    /** A map may have numbers for names, too, but hardly all of them from 0 without a gap. */
    private static boolean isList(ConfigurationPropertyName parent, ConfigurationPropertySource source) {
        int depth = parent.getNumberOfElements();
        Set<String> positions = new HashSet<>();
        for (String written : WrittenNames.properties(source).toList()) {
            ConfigurationPropertyName property = ConfigurationPropertyName.adapt(written, '.');
            if (parent.isAncestorOf(property)) {
                if (!property.isNumericIndex(depth)) {
                    return false;
                }
                positions.add(property.getElement(depth, Form.UNIFORM));
            }
        }
        return IntStream.range(0, positions.size()).mapToObj(String::valueOf).allMatch(positions::contains);
    }
}
