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
     * @param entry the type of what stands at any name, if the level is a map
     */
    record Level(
            List<String> keys, String written, @Nullable Class<?> entry) {}

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
        return new Level(of(level.toClass()), property.getElement(depth, Form.ORIGINAL), entry);
    }

    /** Null if there is no such key, or nothing below it. */
    private static @Nullable ResolvableType next(ResolvableType level, String key) {
        if (level.toClass() == Map.class) {
            return level.getGeneric(1);
        }
        for (RecordComponent component : level.toClass().getRecordComponents()) {
            if (component.getName().equalsIgnoreCase(key)) {
                ResolvableType type = ResolvableType.forType(component.getGenericType());
                return type.toClass() == Map.class || type.toClass().isRecord() ? type : null;
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
