package dev.limiter.spring.config;

import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The keys below {@code limiter}, as {@link LimiterProperties} declares them. Not thread-safe. */
final class KnownKeys {

    static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private final Map<Class<?>, Map<String, Type>> levels = new HashMap<>();

    /**
     * How much of a property is declared.
     *
     * @param name the part that is declared
     * @param type of that part
     * @param whole whether that is all of it
     */
    record Place(ConfigurationPropertyName name, Class<?> type, boolean whole) {

        /** Returns whether there must be keys or names below it. */
        boolean isSection() {
            return type == Map.class || type.isRecord();
        }
    }

    /** Returns how much of a property below {@code limiter} is declared. */
    Place place(ConfigurationPropertyName property) {
        Type type = LimiterProperties.class;
        for (int depth = 1; depth < property.getNumberOfElements(); depth++) {
            Type next = next(type, property, depth);
            if (next == null) {
                return new Place(property.chop(depth), raw(type), false);
            }
            type = next;
        }
        return new Place(property, raw(type), true);
    }

    private @Nullable Type next(Type level, ConfigurationPropertyName property, int depth) {
        Class<?> raw = raw(level);
        if (raw == Map.class) {
            return isPosition(property, depth) ? null : argument(level, 1);
        }
        if (raw == List.class) {
            return property.isNumericIndex(depth) ? argument(level, 0) : null;
        }
        return raw.isRecord()
                ? levels.computeIfAbsent(raw, KnownKeys::types).get(property.getElement(depth, Form.UNIFORM))
                : null;
    }

    /** Returns whether a list begins in the place of names. Limits can be a list: names only distinguish them. */
    private static boolean isPosition(ConfigurationPropertyName property, int depth) {
        return property.isNumericIndex(depth)
                && property.getElement(depth, Form.UNIFORM).equals("0")
                && !property.getElement(depth - 1, Form.UNIFORM).equals("limits");
    }

    private static Class<?> raw(Type type) {
        return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    private static Type argument(Type type, int index) {
        return ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    private static Map<String, Type> types(Class<?> level) {
        Map<String, Type> types = new LinkedHashMap<>();
        for (Parameter parameter : parameters(level)) {
            types.put(key(parameter).replace("-", "").toLowerCase(Locale.ROOT), parameter.getParameterizedType());
        }
        return types;
    }

    /** Returns the keys of a record, in the order of the documentation. */
    static List<String> of(Class<?> level) {
        return Arrays.stream(parameters(level)).map(KnownKeys::key).toList();
    }

    private static Parameter[] parameters(Class<?> level) {
        return level.getDeclaredConstructors()[0].getParameters();
    }

    private static String key(Parameter parameter) {
        Name name = parameter.getAnnotation(Name.class);
        return name == null ? DataObjectPropertyName.toDashedForm(parameter.getName()) : name.value();
    }
}
