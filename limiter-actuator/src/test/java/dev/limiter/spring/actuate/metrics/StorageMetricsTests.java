package dev.limiter.spring.actuate.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener.Outcome;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.failure.EnumText;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** Calls of the storage and its nodes are measured. */
class StorageMetricsTests {

    private final StorageStatistics statistics = mock();
    private final FailoverRateLimiterStorage storage = mock();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();

    /** Returns the meters of an application with a registry and these beans. */
    private StorageMetrics metrics(Object... others) {
        beans.addBean("registry", registry);
        for (Object other : others) {
            beans.addBean("bean" + beans.getBeanDefinitionCount(), other);
        }
        return new StorageMetrics(
                beans.getBeanProvider(MeterRegistry.class),
                beans.getBeanProvider(StorageStatistics.class),
                beans.getBeanProvider(FailoverRateLimiterStorage.class));
    }

    private StorageMetrics started(Object... others) {
        StorageMetrics metrics = metrics(others);
        metrics.afterSingletonsInstantiated();
        return metrics;
    }

    @ParameterizedTest
    @EnumSource
    void timesCallsByTheirOutcome(Outcome outcome) {
        StorageMetrics metrics = started();
        metrics.asked(outcome, Duration.ofMillis(3));
        metrics.asked(outcome, Duration.ofMillis(4));
        for (Outcome each : Outcome.values()) {
            Timer timer = registry.get("limiter.storage")
                    .tag("outcome", EnumText.of(each))
                    .timer();
            assertThat(timer.count()).isEqualTo(each == outcome ? 2 : 0);
            assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(each == outcome ? 7 : 0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.redis.lease.hits, 1",
        "limiter.redis.known.rejections, 2",
        "limiter.redis.calls, 3",
        "limiter.redis.requests, 4",
        "limiter.redis.returns.lost, 5"
    })
    void countsAsTheStorageDoes(String name, double count) {
        when(statistics.leaseHits()).thenReturn(1L);
        when(statistics.knownRejections()).thenReturn(2L);
        when(statistics.calls()).thenReturn(3L);
        when(statistics.requests()).thenReturn(4L);
        when(statistics.lostReturns()).thenReturn(5L);
        started(statistics);
        assertThat(registry.get(name).functionCounter().count()).isEqualTo(count);
    }

    @Test
    void showsHowManyInstancesShareTheLimits() {
        started(storage);
        when(storage.instances()).thenReturn(3);
        assertThat(registry.get("limiter.redis.instances").gauge().value()).isEqualTo(3);
    }

    @Test
    void nodesAreShownFromWhenTheyJoinUntilTheyLeave() {
        StorageMetrics metrics = metrics();
        metrics.joined("one");
        metrics.afterSingletonsInstantiated();
        assertThat(available("one")).isEqualTo(1);

        metrics.lost("one", new IllegalStateException("gone"));
        assertThat(available("one")).isZero();

        metrics.found("one");
        assertThat(available("one")).isEqualTo(1);

        metrics.left("one");
        assertThat(registry.find("limiter.redis.available").gauges()).isEmpty();
    }

    private double available(String node) {
        return registry.get("limiter.redis.available").tag("node", node).gauge().value();
    }
}
