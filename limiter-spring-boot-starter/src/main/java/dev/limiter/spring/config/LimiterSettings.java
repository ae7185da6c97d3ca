package dev.limiter.spring.config;

import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import java.time.Duration;

/** The settings that are not rules, checked. Immutable. */
public record LimiterSettings(Mode mode, long maxKeys, Web web) {

    /** Limits on requests; see {@code limiter.web}. */
    public record Web(
            boolean enabled,
            boolean staticResources,
            int order,
            HeaderStyle headers,
            Duration retryAfterJitter,
            int status) {}
}
