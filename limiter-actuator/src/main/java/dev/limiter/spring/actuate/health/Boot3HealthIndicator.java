package dev.limiter.spring.actuate.health;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** For Spring Boot 3. */
public final class Boot3HealthIndicator implements HealthIndicator {

    private final LimiterHealth health;

    public Boot3HealthIndicator(LimiterHealth health) {
        this.health = health;
    }

    @Override
    public Health health() {
        return (health.isUp() ? Health.up() : Health.unknown())
                .withDetails(health.details())
                .build();
    }
}
