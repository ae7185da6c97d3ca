package dev.limiter.spring.autoconfigure;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** Metrics and the endpoint show the storage of a test with virtual time as memory. */
@SpringJUnitConfig
@DirtiesContext // closed afterwards: other tests look for threads that are left
@WithVirtualTime
class VirtualTimeStorageTests {

    private static final Rule HOURLY = Rule.of("hourly", Limit.fixedWindow(9, Duration.ofHours(1)));

    @RepeatedTest(2)
    void isNamedAndCounted(
            @Autowired MeterRegistry meters,
            @Autowired RateLimiters limiters,
            @Autowired DecidingStorage storage,
            VirtualTimeSource time) {
        assertThat(storage.name()).isEqualTo("memory");
        assertThat(keys(meters)).isZero();
        assertThat(expired(meters)).isZero();

        limiters.tryAcquire(HOURLY, "alice");
        assertThat(keys(meters)).isOne();
        time.advance(Duration.ofDays(1));
        await(() -> {
            limiters.storage().cleanUp();
            return expired(meters) == 1;
        });
        assertThat(keys(meters)).isZero();
    }

    private static double keys(MeterRegistry meters) {
        return meters.get("limiter.keys").tag("storage", "memory").gauge().value();
    }

    private static double expired(MeterRegistry meters) {
        return meters.get("limiter.evictions")
                .tag("cause", "expired")
                .functionCounter()
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        LimiterRulesAutoConfiguration.class,
        LimiterAutoConfiguration.class,
        LimiterMetricsAutoConfiguration.class
    })
    static class Application {

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }
}
