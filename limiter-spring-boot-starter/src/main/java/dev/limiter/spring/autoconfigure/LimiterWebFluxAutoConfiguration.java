package dev.limiter.spring.autoconfigure;

import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.config.LimiterSettings;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Mode;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
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

    /** Comes after the scan for annotated methods. Not lazy, whatever the application's other beans are. */
    @Bean
    @Lazy(false)
    SmartInitializingSingleton limiterWebFluxLimits(Rules rules, MethodLimits methods, LimiterSettings settings) {
        return () -> {
            if (settings.web().enabled() && settings.mode() != Mode.OFF) {
                check(rules.current(), methods);
            }
        };
    }

    private static void check(RuleSet rules, MethodLimits methods) {
        List<String> limits = new ArrayList<>();
        rules.defaultLimit().ifPresent(limit -> limits.add("limiter.web.default-limit"));
        rules.pathRules().forEach(rule -> limits.add("the rule \"" + rule.name() + "\""));
        methods.found().forEach(method -> limits.add("@RateLimiter on " + method));
        if (!limits.isEmpty()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.WEBFLUX,
                    "limiter.web",
                    null,
                    "Requests to a WebFlux application are not limited yet, and nothing would hold to "
                            + String.join(", ", limits)
                            + ". Set limiter.web.enabled=false to limit only calls of annotated methods and calls of"
                            + " RateLimiters, or limiter.enabled=false to limit nothing"));
        }
    }
}
