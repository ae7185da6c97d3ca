package dev.limiter.spring.config;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;

/** Finds the file and line in which a property was written, if Spring Boot knows it. */
public final class PropertyOrigins {

    /** A property that Spring Boot reads as it is written. */
    private static final Pattern READ = Pattern.compile("[a-zA-Z0-9_.\\[\\]-]*");

    private final @Nullable Environment environment;

    public PropertyOrigins(@Nullable Environment environment) {
        this.environment = environment;
    }

    /**
     * The place of the property, or else of the first one below it, in the first source with either, preferably in the
     * given spelling; null if the place is unknown or this is no property.
     */
    @Nullable
    public String of(String property) {
        String written = environment == null ? null : written(environment, property);
        if (written != null || environment == null || !isProperty(property)) {
            return written;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        Predicate<ConfigurationPropertyName> asWritten =
                candidate -> (spelling(candidate) + ".").startsWith(property + ".");
        return Stream.concat(
                        inForce(environment, name, asWritten),
                        Stream.<Predicate<ConfigurationPropertyName>>of(asWritten, name::equals, name::isAncestorOf)
                                .flatMap(wanted -> origins(environment, wanted)))
                .findFirst()
                .map(Origin::toString)
                .orElse(null);
    }

    /** The place of the first property in or below one with characters that Spring Boot leaves out of it. */
    private static @Nullable String written(Environment environment, String property) {
        if (!property.startsWith("limiter.") || READ.matcher(property).matches()) {
            return null;
        }
        return sources(environment)
                .map(ConfigurationPropertySource::getUnderlyingSource)
                .filter(EnumerablePropertySource.class::isInstance)
                .map(EnumerablePropertySource.class::cast)
                .flatMap(source -> Arrays.stream(source.getPropertyNames())
                        .filter(name -> name.equals(property)
                                || name.startsWith(property + ".")
                                || name.startsWith(property + "["))
                        .map(name -> PropertySourceOrigin.get(source, name)))
                .findFirst()
                .map(Origin::toString)
                .orElse(null);
    }

    private static boolean isProperty(String place) {
        return ((place + ".").startsWith("limiter.") || place.startsWith("limiter[")) && place.indexOf(' ') < 0;
    }

    /**
     * A variable of the environment has the value of a property, although it is spelt otherwise in a file behind it.
     */
    private static Stream<Origin> inForce(
            Environment environment, ConfigurationPropertyName name, Predicate<ConfigurationPropertyName> asWritten) {
        return sources(environment)
                .filter(source -> source.getConfigurationProperty(name) != null)
                .limit(1)
                .flatMap(source -> Stream.concat(
                                source.stream().filter(asWritten).filter(name::equals), Stream.of(name))
                        .map(candidate -> Origin.from(source.getConfigurationProperty(candidate))))
                .filter(Objects::nonNull);
    }

    private static Stream<Origin> origins(Environment environment, Predicate<ConfigurationPropertyName> wanted) {
        return sources(environment)
                .flatMap(source -> source.stream()
                        .filter(wanted)
                        .map(candidate -> Origin.from(source.getConfigurationProperty(candidate))))
                .filter(Objects::nonNull);
    }

    private static String spelling(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .collect(Collectors.joining("."));
    }

    private static Stream<IterableConfigurationPropertySource> sources(Environment environment) {
        Stream.Builder<IterableConfigurationPropertySource> sources = Stream.builder();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                sources.add(iterable);
            }
        }
        return sources.build();
    }
}
