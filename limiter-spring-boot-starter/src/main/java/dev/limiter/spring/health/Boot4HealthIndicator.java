package dev.limiter.spring.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** For Spring Boot 4. */
public final class Boot4HealthIndicator implements HealthIndicator {

    private final StorageHealth health;

    public Boot4HealthIndicator(FailoverRateLimiterStorage storage) {
        this.health = new StorageHealth(storage);
    }

    @Override
    public Health health() {
        return (health.isUp() ? Health.up() : Health.unknown())
                .withDetails(health.details())
                .build();
    }
}
