package dev.limiter.spring.health;

import dev.limiter.failover.FailoverRateLimiterStorage;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** For Spring Boot 3. */
public final class Boot3HealthIndicator implements HealthIndicator {

    private final StorageHealth health;

    public Boot3HealthIndicator(FailoverRateLimiterStorage storage) {
        this.health = new StorageHealth(storage);
    }

    @Override
    public Health health() {
        return (health.isUp() ? Health.up() : Health.unknown())
                .withDetails(health.details())
                .build();
    }
}
