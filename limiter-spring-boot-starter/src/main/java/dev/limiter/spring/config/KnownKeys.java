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

/** What can be written at each level below {@code limiter}. */
final class KnownKeys {

    private KnownKeys() {}

    /** The keys beside the last one that exists on the way to {@code property}, in the order of the documentation. */
    static List<String> near(ConfigurationPropertyName property) {
        ResolvableType level = ResolvableType.forClass(LimiterProperties.class);
        for (int i = 1; i < property.getNumberOfElements(); i++) {
            ResolvableType next = next(level, property.getElement(i, Form.UNIFORM));
            if (next == null) {
                break;
            }
            level = next;
        }
        return of(level.toClass());
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
                        .map(KnownKeys::name)
                        .toList()
                : List.of();
    }

    private static String name(Parameter parameter) {
        Name said = parameter.getAnnotation(Name.class);
        return said == null ? DataObjectPropertyName.toDashedForm(parameter.getName()) : said.value();
    }
}
