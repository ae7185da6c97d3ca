package dev.limiter.spring.actuate.metrics;

import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.redis.StorageStatistics;
import dev.limiter.spring.failure.EnumText;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Meters of Redis: duration and number of calls, decisions made without a call, lost refunds, available nodes, and
 * instances that share the limits. Thread-safe.
 */
public final class StorageMetrics implements StorageListener, SmartInitializingSingleton {

    private final ObjectProvider<MeterRegistry> available;
    private final ObjectProvider<StorageStatistics> statistics;
    private final ObjectProvider<FailoverRateLimiterStorage> storage;
    private final RedisNodeGauges nodes = new RedisNodeGauges();
    private volatile Map<Outcome, List<Timer>> timers = Map.of();

    public StorageMetrics(
            ObjectProvider<MeterRegistry> registries,
            ObjectProvider<StorageStatistics> statistics,
            ObjectProvider<FailoverRateLimiterStorage> storage) {
        this.available = registries;
        this.statistics = statistics;
        this.storage = storage;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<MeterRegistry> registries = MeterRegistries.of(available);
        Map<Outcome, List<Timer>> byOutcome = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            byOutcome.put(
                    outcome,
                    registries.stream()
                            .map(registry -> timer(outcome, registry))
                            .toList());
        }
        timers = byOutcome;
        nodes.register(registries);
        statistics.ifAvailable(counted -> registries.forEach(registry -> count(counted, registry)));
        storage.ifAvailable(failover -> registries.forEach(registry -> gauge(failover, registry)));
    }

    private static void count(StorageStatistics statistics, MeterRegistry registry) {
        counter("lease.hits", "Decisions made with leased permits", statistics, StorageStatistics::leaseHits, registry);
        counter(
                "known.rejections",
                "Rejections decided without calling Redis",
                statistics,
                StorageStatistics::knownRejections,
                registry);
        counter("calls", "Calls of decision scripts", statistics, StorageStatistics::calls, registry);
        counter("requests", "Requests in calls of decision scripts", statistics, StorageStatistics::requests, registry);
        counter(
                "returns.lost",
                "Refunds that Redis did not confirm",
                statistics,
                StorageStatistics::lostReturns,
                registry);
    }

    private static void counter(
            String name,
            String description,
            StorageStatistics statistics,
            ToDoubleFunction<StorageStatistics> value,
            MeterRegistry registry) {
        FunctionCounter.builder("limiter.redis." + name, statistics, value)
                .description(description)
                .register(registry);
    }

    private static void gauge(FailoverRateLimiterStorage storage, MeterRegistry registry) {
        Gauge.builder("limiter.redis.instances", storage, FailoverRateLimiterStorage::instances)
                .description("Instances that share the limits")
                .register(registry);
    }

    private static Timer timer(Outcome outcome, MeterRegistry registry) {
        return Timer.builder("limiter.storage")
                .description("Time that the storage took to decide")
                .tag("outcome", EnumText.of(outcome))
                .register(registry);
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        for (Timer timer : timers.getOrDefault(outcome, List.of())) {
            timer.record(took);
        }
    }

    @Override
    public void joined(String node) {
        nodes.joined(node);
    }

    @Override
    public void left(String node) {
        nodes.left(node);
    }

    @Override
    public void lost(String node, Throwable cause) {
        nodes.asks(node, false);
    }

    @Override
    public void found(String node) {
        nodes.asks(node, true);
    }
}
