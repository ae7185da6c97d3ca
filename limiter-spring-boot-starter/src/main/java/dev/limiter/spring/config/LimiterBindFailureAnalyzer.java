package dev.limiter.spring.config;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.spring.failure.PropertyOrigins;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Says what cannot be read as a setting of Limiter: unknown keys, and values of the wrong type. */
final class LimiterBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private final PropertyOrigins origins;

    LimiterBindFailureAnalyzer(@Nullable Environment environment) {
        this.origins = new PropertyOrigins(environment);
    }

    /** Before Spring Boot's own, which do not know what is allowed here. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        if (!ROOT.equals(cause.getName()) && !ROOT.isAncestorOf(cause.getName())) {
            return null;
        }
        String description = cause.getCause() instanceof UnboundConfigurationPropertiesException unbound
                ? unbound.getUnboundProperties().stream().map(this::unknown).collect(Collectors.joining("\n\n"))
                : unreadable(cause);
        return new FailureAnalysis(description, "Correct what is named above.", cause);
    }

    private String unknown(ConfigurationProperty property) {
        return describe(property.getName().toString(), property.getValue())
                + "\n    This key is unknown. Here there are: " + String.join(", ", KnownKeys.near(property.getName()))
                + ".";
    }

    private String unreadable(BindException failure) {
        ConfigurationProperty property = failure.getProperty();
        Class<?> type = failure.getTarget().getType().toClass();
        String name = failure.getName().toString();
        return describe(name, property == null ? null : property.getValue()) + "\n    " + allowed(type);
    }

    private String describe(String name, @Nullable Object value) {
        String origin = origins.of(name);
        return name + (value == null ? "" : " = \"" + value + "\"") + (origin == null ? "" : " (" + origin + ")");
    }

    private static String allowed(Class<?> type) {
        if (type.isEnum()) {
            return "This must be one of: "
                    + Arrays.stream(type.getEnumConstants())
                            .filter(LimiterBindFailureAnalyzer::isAvailable)
                            .map(constant ->
                                    constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .collect(Collectors.joining(", "))
                    + ".";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "This must be true or false.";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "This must be a whole number.";
        }
        if (type == Map.class) {
            return "This is empty: there must be at least one name in it, with settings of its own. Or remove it.";
        }
        return type.isRecord()
                ? "This must have keys of its own: " + String.join(", ", KnownKeys.of(type)) + "."
                : "This cannot be read as a " + type.getSimpleName() + ".";
    }

    private static boolean isAvailable(Object constant) {
        return !(constant instanceof Algorithm algorithm) || new RateLimiterFactory().supports(algorithm);
    }
}
