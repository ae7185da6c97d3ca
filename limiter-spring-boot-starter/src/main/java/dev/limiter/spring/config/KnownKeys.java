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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The keys below {@code limiter} that {@link LimiterProperties} declares. Not thread-safe. */
final class KnownKeys {

    static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private final Map<Class<?>, Map<String, Type>> levels = new HashMap<>();

    /**
     * The declared part of a property.
     *
     * @param name the declared part
     * @param type the type of that part
     * @param whole whether the whole property is declared
     */
    record Place(ConfigurationPropertyName name, Class<?> type, boolean whole) {

        /** Returns whether keys or names must follow. */
        boolean isSection() {
            return type == Map.class || type.isRecord();
        }
    }

    /** Returns the declared part of a property below {@code limiter}. */
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

    /** Returns whether this is a list where names are required. Named limits may be a list. */
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

    /** Returns all properties without a user-defined name in them, such as {@code limiter.web.status}. */
    static List<String> paths() {
        return paths(LimiterProperties.PREFIX, LimiterProperties.class).toList();
    }

    private static Stream<String> paths(String parent, Class<?> level) {
        return Arrays.stream(parameters(level)).flatMap(parameter -> {
            String path = parent + "." + key(parameter);
            Class<?> type = parameter.getType();
            return type.isRecord() ? Stream.concat(Stream.of(path), paths(path, type)) : Stream.of(path);
        });
    }

    /** Returns the keys of a record in the order of their declaration. */
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
