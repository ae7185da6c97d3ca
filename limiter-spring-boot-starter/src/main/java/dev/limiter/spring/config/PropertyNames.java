package dev.limiter.spring.config;

import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The keys at each level below {@code limiter}. */
final class PropertyNames {

    private PropertyNames() {}

    /**
     * Where a key is looked for.
     *
     * @param keys that there are, in the order of the documentation
     * @param written the one that was written
     * @param depth of that one in the property
     * @param type of that one, where it is no section; null if it is none, or there is no such key
     * @param entry the type of what stands at any name, if the level is a map
     */
    record Level(
            List<String> keys,
            String written,
            int depth,
            @Nullable Class<?> type,
            @Nullable Class<?> entry) {}

    /** The last level that exists on the way to {@code property}. */
    static Level of(ConfigurationPropertyName property) {
        ResolvableType level = ResolvableType.forClass(LimiterProperties.class);
        int depth = 1;
        for (; depth < property.getNumberOfElements() - 1; depth++) {
            ResolvableType next = next(level, property.getElement(depth, Form.UNIFORM));
            if (next == null) {
                break;
            }
            level = next;
        }
        Class<?> entry = level.toClass() == Map.class ? level.getGeneric(1).toClass() : null;
        return new Level(
                of(level.toClass()),
                property.getElement(depth, Form.ORIGINAL),
                depth,
                type(level, property.getElement(depth, Form.UNIFORM)),
                entry);
    }

    /** Whether what stands below a property are names that users choose. */
    static boolean hasNames(ConfigurationPropertyName property) {
        if (!LimiterBindHandler.ROOT.isAncestorOf(property)) {
            return false;
        }
        Level level = of(property.append("any"));
        return level.entry() != null && level.depth() == property.getNumberOfElements();
    }

    /** Whether a property stands beside keys that there are, and is none of them. */
    static boolean isUnknown(ConfigurationPropertyName property) {
        Level level = of(property);
        return level.depth() == property.getNumberOfElements() - 1
                && level.entry() == null
                && level.keys().stream().noneMatch(key -> isSame(key, level.written()));
    }

    /** Whether a key is the one that was written. */
    static boolean isSame(String key, String written) {
        return key.replace("-", "").equalsIgnoreCase(written.replace("-", ""));
    }

    /** Whether there is such a key directly below {@code limiter}; {@code key}: in the form that all spellings share. */
    static boolean isKnown(String key) {
        return component(ResolvableType.forClass(LimiterProperties.class), key) != null;
    }

    /** Whether a property is directly below {@code limiter}, and has keys of its own. */
    static boolean isSection(ConfigurationPropertyName property) {
        return LimiterBindHandler.ROOT.isParentOf(property)
                && next(ResolvableType.forClass(LimiterProperties.class), property.getLastElement(Form.UNIFORM))
                        != null;
    }

    private static @Nullable Class<?> type(ResolvableType level, String key) {
        RecordComponent component = component(level, key);
        return component == null || isSection(ResolvableType.forType(component.getGenericType()))
                ? null
                : component.getType();
    }

    private static boolean isSection(ResolvableType type) {
        return type.toClass() == Map.class || type.toClass().isRecord();
    }

    /** Null if there is no such key, or nothing below it. */
    private static @Nullable ResolvableType next(ResolvableType level, String key) {
        if (level.toClass() == Map.class) {
            return level.getGeneric(1);
        }
        RecordComponent component = component(level, key);
        ResolvableType type = component == null ? null : ResolvableType.forType(component.getGenericType());
        return type == null || !isSection(type) ? null : type;
    }

    private static @Nullable RecordComponent component(ResolvableType level, String key) {
        RecordComponent[] components = level.toClass().getRecordComponents();
        for (RecordComponent component : components == null ? new RecordComponent[0] : components) {
            Name said = component.getAnnotation(Name.class);
            if ((said == null ? component.getName() : said.value()).equalsIgnoreCase(key)) {
                return component;
            }
        }
        return null;
    }

    /** The keys of a level. */
    static List<String> of(Class<?> level) {
        return level.isRecord()
                ? Arrays.stream(level.getDeclaredConstructors()[0].getParameters())
                        .filter(parameter -> level != LimiterProperties.Tier.class
                                || !parameter.getName().equals("by"))
                        .map(PropertyNames::name)
                        .toList()
                : List.of();
    }

    private static String name(Parameter parameter) {
        Name said = parameter.getAnnotation(Name.class);
        return said == null ? DataObjectPropertyName.toDashedForm(parameter.getName()) : said.value();
    }
}
