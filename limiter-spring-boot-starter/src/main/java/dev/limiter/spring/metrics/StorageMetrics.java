package dev.limiter.spring.metrics;

import dev.limiter.redis.StorageListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Timer {@code limiter.storage} by outcome: how long Redis took to decide, or not to. Thread-safe. */
public final class StorageMetrics implements StorageListener, SmartInitializingSingleton {

    private final ObjectProvider<MeterRegistry> available;
    private volatile Map<Outcome, List<Timer>> timers = Map.of();

    public StorageMetrics(ObjectProvider<MeterRegistry> registries) {
        this.available = registries;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<MeterRegistry> registries = Registries.of(available);
        Map<Outcome, List<Timer>> byOutcome = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            byOutcome.put(
                    outcome,
                    registries.stream()
                            .map(registry -> timer(outcome, registry))
                            .toList());
        }
        timers = byOutcome;
    }

    private static Timer timer(Outcome outcome, MeterRegistry registry) {
        return Timer.builder("limiter.storage")
                .description("How long the storage took to decide")
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .register(registry);
    }

    @Override
    public void asked(Outcome outcome, Duration took) {
        for (Timer timer : timers.getOrDefault(outcome, List.of())) {
            timer.record(took);
        }
    }
}
