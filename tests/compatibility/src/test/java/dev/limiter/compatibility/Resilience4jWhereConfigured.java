package dev.limiter.compatibility;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Excludes resilience4j from applications that do not configure it. AspectJ would match its pointcuts against every
 * bean, which takes more than half of the startup time.
 */
final class Resilience4jWhereConfigured implements AutoConfigurationImportFilter, EnvironmentAware {

    private static final String CONFIGURED = "resilience4j.ratelimiter.instances.theirs.limit-for-period";

    private @Nullable Environment environment;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(@Nullable String[] configurations, AutoConfigurationMetadata metadata) {
        boolean configured = Objects.requireNonNull(environment).containsProperty(CONFIGURED);
        boolean[] matches = new boolean[configurations.length];
        for (int i = 0; i < matches.length; i++) {
            String name = configurations[i];
            matches[i] = configured || name == null || !name.startsWith("io.github.resilience4j.");
        }
        return matches;
    }
}
