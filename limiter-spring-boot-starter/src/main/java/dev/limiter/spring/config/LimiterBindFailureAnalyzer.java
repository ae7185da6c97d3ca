package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Describes the settings of Limiter that cannot be read: unknown keys, and values of the wrong type. */
final class LimiterBindFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

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
        boolean ours = KnownKeys.ROOT.equals(cause.getName()) || KnownKeys.ROOT.isAncestorOf(cause.getName());
        ConfigurationPropertiesBindException bean = findCause(rootFailure, ConfigurationPropertiesBindException.class);
        boolean ofApplication = bean != null && bean.getBeanType() != LimiterProperties.class;
        return ours && !ofApplication
                ? LimiterConfigurationFailureAnalyzer.analysis(problems(cause), origins, cause)
                : null;
    }

    private static List<Problem> problems(BindException failure) {
        if (failure.getCause() instanceof LimiterConfigurationException all) {
            return all.problems();
        }
        ConfigurationProperty property = failure.getProperty();
        return List.of(BindProblemFactory.unreadable(
                failure.getName(),
                property == null ? null : property.getValue(),
                failure.getTarget().getType().toClass()));
    }
}
