package dev.limiter.spring.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Finds the file and line in which a property was written, if Spring Boot knows it. */
public final class PropertyOrigins {

    private final @Nullable Environment environment;

    public PropertyOrigins(@Nullable Environment environment) {
        this.environment = environment;
    }

    /** Where the property is, or the first one below it; null if that is not known or this is no property. */
    @Nullable
    public String of(String property) {
        if (environment == null || !property.startsWith("limiter.") || property.indexOf(' ') >= 0) {
            return null;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            Origin origin = find(source, name);
            if (origin != null) {
                return origin.toString();
            }
        }
        return null;
    }

    private static @Nullable Origin find(ConfigurationPropertySource source, ConfigurationPropertyName name) {
        Origin origin = Origin.from(source.getConfigurationProperty(name));
        if (origin == null && source instanceof IterableConfigurationPropertySource iterable) {
            for (ConfigurationPropertyName candidate : iterable) {
                if (name.isAncestorOf(candidate)) {
                    return Origin.from(source.getConfigurationProperty(candidate));
                }
            }
        }
        return origin;
    }
}
