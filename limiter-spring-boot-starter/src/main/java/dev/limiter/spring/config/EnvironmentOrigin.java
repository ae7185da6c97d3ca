package dev.limiter.spring.config;

import dev.limiter.spring.rule.RuleOrigin;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** The origin of a rule in the environment. Equal to other origins with the same property. */
final class EnvironmentOrigin implements RuleOrigin {

    private final RuleOrigin property;
    private final PropertyOrigins sources;

    /** @param prefix such as {@code limiter.rules.orders} */
    EnvironmentOrigin(String prefix, Environment environment) {
        this.property = RuleOrigin.property(prefix);
        this.sources = new PropertyOrigins(environment);
    }

    @Override
    public String of(String attribute) {
        return property.of(attribute);
    }

    @Override
    public @Nullable String file(String place) {
        return sources.of(place);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EnvironmentOrigin origin && origin.property.equals(property);
    }

    @Override
    public int hashCode() {
        return property.hashCode();
    }

    @Override
    public String toString() {
        return property.toString();
    }
}
