package dev.limiter.spring.actuate.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** For Spring Boot 4. */
public final class Boot4HealthIndicator implements HealthIndicator {

    private final LimiterHealth health;

    public Boot4HealthIndicator(LimiterHealth health) {
        this.health = health;
    }

    @Override
    public Health health() {
        return (health.isUp() ? Health.up() : Health.unknown())
                .withDetails(health.details())
                .build();
    }
}
