package dev.limiter.spring.actuate.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.actuate.TestRules;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.resolve.LimitResolvers;
import dev.limiter.spring.resolve.ResolverCache.Resolver;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.Status;

/** Health reports outages and invalid rules without taking the application out of service. */
class LimiterHealthTests {

    private final LimitResolvers resolvers = new LimitResolvers(10, Duration.ofSeconds(5)::toNanos, KeyHash.with(null));
    private final LiveRules rules = TestRules.live(Duration.ofSeconds(5)::toNanos);

    @Test
    void storageInMemoryIsAlwaysUp() {
        LimiterHealth health = new LimiterHealth(null, null, null, resolvers);
        assertThat(health.isUp()).isTrue();
        assertThat(health.details()).isEmpty();
    }

    /** An application must stay in service while Redis is down. */
    @ParameterizedTest
    @CsvSource({"true, UP, available", "false, UNKNOWN, unavailable; rules use on-failure"})
    void storageThatFailsIsUnknownAndNeverDown(boolean available, String status, String does) {
        Health health = new Boot3HealthIndicator(new LimiterHealth(storage(available), null, null, resolvers)).health();
        assertThat(health.getStatus()).isEqualTo(new Status(status));
        assertThat(health.getDetails())
                .containsExactly(entry("storage", "redis"), entry("redis", does), entry("instances", 3));
    }

    @Test
    void invalidRulesAreReported() {
        LimiterHealth health = new LimiterHealth(null, rules, "/etc/rules.yml", resolvers);
        assertThat(health.details())
                .containsEntry("version", rules.version())
                .containsEntry("changesKeptIn", "memory")
                .doesNotContainKeys("problem", "problemSince");
        assertThat(health.details()).containsEntry("rulesFile", "/etc/rules.yml");

        rules.configurationFailed("a window is missing");
        assertThat(health.isUp()).isTrue();
        assertThat(health.details())
                .containsEntry("problem", "a window is missing")
                .containsEntry("problemSince", "1970-01-01T00:00:05Z");
    }

    @Test
    void resolverThatFailsLeavesItUp() {
        Resolver failing = new Resolver(
                context -> {
                    throw new IllegalStateException("database is down");
                },
                Duration.ofMinutes(1));
        RateLimitContext context = mock();
        assertThat(resolvers.cache("customers", "plans").get("acme", context, failing))
                .isNull();

        LimiterHealth health = new LimiterHealth(null, null, null, resolvers);
        assertThat(health.isUp()).isTrue();
        assertThat(health.details())
                .containsEntry(
                        "limitResolvers",
                        Map.of(
                                "customers",
                                "fails since 1970-01-01T00:00:05Z: java.lang.IllegalStateException: database is"
                                        + " down"));
    }

    private static FailoverRateLimiterStorage storage(boolean available) {
        FailoverRateLimiterStorage storage = mock();
        when(storage.name()).thenReturn("redis");
        when(storage.isAvailable()).thenReturn(available);
        when(storage.instances()).thenReturn(3);
        return storage;
    }
}
