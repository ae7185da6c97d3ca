package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problem;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.CompositePropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds properties below {@code limiter} that {@link LimiterProperties} does not declare, or that have no value.
 * Unknown keys are allowed in environment variables, because platforms set their own.
 */
final class PropertyCheck {

    private static final UnboundElementsSourceFilter FILES = new UnboundElementsSourceFilter();

    /** One element of a property, with or without brackets. */
    private static final Pattern ELEMENT = Pattern.compile("\\[[^\\]]*]|[^.\\[\\]]+");

    /** An element that Spring Boot reads unchanged, and that YAML does not read as true or false. */
    private static final Pattern READABLE = Pattern.compile("\\[(?!(true|false)]).*|\\w[\\w-]*");

    private final KnownKeys keys = new KnownKeys();
    private final Map<ConfigurationPropertyName, Problem> problems = new LinkedHashMap<>();
    private final BindContext context;

    PropertyCheck(BindContext context) {
        this.context = context;
    }

    /** Returns the problems of all sources by property. */
    Map<ConfigurationPropertyName, Problem> problems() {
        for (ConfigurationPropertySource source : context.getSources()) {
            if (source instanceof IterableConfigurationPropertySource properties) {
                if (FILES.apply(source)) {
                    checkFile(properties);
                } else if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource) {
                    checkVariables(properties);
                }
            }
        }
        return problems;
    }

    private void checkFile(IterableConfigurationPropertySource source) {
        Object written = source.getUnderlyingSource();
        // the parts of a composite source may each have their own spelling
        boolean single = !(written instanceof CompositePropertySource);
        Set<ConfigurationPropertyName> read = new HashSet<>();
        for (ConfigurationProperty property : settings(source)) {
            ConfigurationPropertyName name = property.getName();
            KnownKeys.Place place = keys.place(name);
            if (addRenamed(property)) {
                continue;
            }
            if (!place.whole()) {
                addUnknown(property, place);
            } else if (place.isSection()) {
                checkSection(property, place.type());
            } else {
                checkValue(property, place.type() != String.class && place.type() != List.class);
            }
            if (single && !read.add(name)) {
                add(name, BindProblemFactory.repeated(name));
            }
        }
        if (written instanceof EnumerablePropertySource<?> names) {
            checkNames(names);
        }
    }

    /** Spring Boot would treat an empty variable as the default, and so hide the value in a file. */
    private void checkVariables(IterableConfigurationPropertySource source) {
        for (ConfigurationProperty property : settings(source)) {
            KnownKeys.Place place = keys.place(property.getName());
            if (!addRenamed(property) && place.whole() && !place.isSection()) {
                checkValue(property, place.type() != String.class);
            }
        }
    }

    private static List<ConfigurationProperty> settings(IterableConfigurationPropertySource source) {
        return source.stream()
                .filter(name -> KnownKeys.ROOT.equals(name) || KnownKeys.ROOT.isAncestorOf(name))
                .map(source::getConfigurationProperty)
                .filter(Objects::nonNull)
                .toList();
    }

    private void add(ConfigurationPropertyName name, Problem problem) {
        problems.putIfAbsent(name, problem);
    }

    private boolean addRenamed(ConfigurationProperty property) {
        Problem renamed = RenamedKeys.problem(property);
        if (renamed != null) {
            add(ConfigurationPropertyName.of(renamed.where()), renamed);
        }
        return renamed != null;
    }

    private void addUnknown(ConfigurationProperty property, KnownKeys.Place place) {
        ConfigurationPropertyName name = property.getName();
        int known = place.name().getNumberOfElements();
        add(
                place.type().isRecord() ? name.chop(known + 1) : place.name(),
                BindProblemFactory.unknown(name, place, property.getValue()));
    }

    /** Allows an empty section directly below {@code limiter}, such as rules that are all commented out. */
    private void checkSection(ConfigurationProperty property, Class<?> type) {
        ConfigurationPropertyName name = property.getName();
        if (!isBlank(property.getValue()) || name.getNumberOfElements() > 2) {
            add(name, BindProblemFactory.unreadable(name, property.getValue(), type));
        }
    }

    private void checkValue(ConfigurationProperty property, boolean required) {
        ConfigurationPropertyName name = property.getName();
        if (property.equals(inForce(name))) {
            Object value = resolved(property);
            Problem unresolved = unresolved(property, value);
            if (unresolved != null) {
                add(name, unresolved);
            } else if (required && isBlank(value)) {
                add(name, BindProblemFactory.empty(name, property.getValue()));
            }
        }
    }

    /** Ignores an escaped placeholder, and the default key prefix of an application without a name. */
    private static @Nullable Problem unresolved(ConfigurationProperty property, Object value) {
        boolean text =
                String.valueOf(property.getValue()).contains("\\${") || value.equals(RedisSettings.DEFAULT_PREFIX);
        return text ? null : BindProblemFactory.unresolved(property.getName(), value.toString());
    }

    private static boolean isBlank(@Nullable Object value) {
        return value == null || value.toString().isBlank();
    }

    /** Returns the value of a property with placeholders resolved; null if it has none. */
    @Nullable
    Object value(ConfigurationPropertyName name) {
        ConfigurationProperty property = inForce(name);
        return property == null ? null : resolved(property);
    }

    private Object resolved(ConfigurationProperty property) {
        boolean hasPlaceholder = property.getValue() instanceof String text && text.contains("${");
        return hasPlaceholder
                ? context.getBinder()
                        .bind(property.getName(), Bindable.of(String.class))
                        .orElse("")
                : property.getValue();
    }

    private @Nullable ConfigurationProperty inForce(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : context.getSources()) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    /** Spring Boot drops other characters, so that {@code für} and {@code fr} would be the same name. */
    private void checkNames(EnumerablePropertySource<?> source) {
        for (String property : source.getPropertyNames()) {
            if (property.startsWith("limiter.")) {
                checkName(property);
            }
        }
    }

    private void checkName(String property) {
        Matcher element = ELEMENT.matcher(property);
        while (element.find()) {
            if (!READABLE.matcher(element.group()).matches()) {
                String where = property.substring(0, element.end());
                add(ConfigurationPropertyName.adapt(where, '.'), BindProblemFactory.wrongName(where));
            }
        }
    }
}
