package dev.limiter.spring;

import dev.limiter.spring.autoconfigure.LimiterAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterHealthAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterMethodAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterMetricsAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterRedisAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterRulesAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterTemplateAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterWebAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterWebFluxAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** The auto-configurations of the starter. */
public final class Limiter {

    private Limiter() {}

    public static AutoConfigurations autoConfigurations() {
        return AutoConfigurations.of(
                LimiterRulesAutoConfiguration.class,
                LimiterRedisAutoConfiguration.class,
                LimiterAutoConfiguration.class,
                LimiterMethodAutoConfiguration.class,
                LimiterMetricsAutoConfiguration.class,
                LimiterHealthAutoConfiguration.class,
                LimiterTemplateAutoConfiguration.class,
                LimiterWebAutoConfiguration.class,
                LimiterWebFluxAutoConfiguration.class);
    }
}
