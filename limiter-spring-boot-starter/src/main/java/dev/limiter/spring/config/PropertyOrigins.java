package dev.limiter.spring.config;

import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Finds the file and line of a property, as far as Spring Boot recorded them. */
public final class PropertyOrigins {

    private final @Nullable Environment environment;

    public PropertyOrigins(@Nullable Environment environment) {
        this.environment = environment;
    }

    /**
     * Returns the origin of the property, or else of the first property below it, preferably in the given spelling.
     * Returns null if there is none.
     */
    @Nullable
    public String of(String property) {
        if (environment == null || !isProperty(property)) {
            return null;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        Predicate<ConfigurationPropertyName> asWritten =
                candidate -> (spelling(candidate) + ".").startsWith(property + ".");
        return Stream.<Predicate<ConfigurationPropertyName>>of(name::equals, asWritten, name::isAncestorOf)
                .flatMap(wanted -> origins(environment, wanted))
                .findFirst()
                .map(Origin::toString)
                .orElse(null);
    }

    private static boolean isProperty(String place) {
        return (place + ".").startsWith("limiter.") || place.startsWith("limiter[");
    }

    /** Returns origins in the order of the sources: environment variables come before files. */
    private static Stream<Origin> origins(Environment environment, Predicate<ConfigurationPropertyName> wanted) {
        return StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .filter(IterableConfigurationPropertySource.class::isInstance)
                .map(IterableConfigurationPropertySource.class::cast)
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
}
