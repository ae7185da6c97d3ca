package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.MethodLimits;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Stops a WebFlux application that counts on limits, since its requests have none. */
@AutoConfiguration(after = LimiterMethodAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnLimiter
@ConditionalOnSetting(value = "limiter.web.enabled", matchIfMissing = true)
public final class LimiterWebFluxAutoConfiguration {

    /** Not lazy, whatever the application's other beans are. */
    @Bean
    @Lazy(false)
    UnsupportedWebFluxCheck limiterWebFluxLimits(Rules rules, MethodLimits methods, LimiterSettings settings) {
        return new UnsupportedWebFluxCheck(rules, methods, settings);
    }
}
