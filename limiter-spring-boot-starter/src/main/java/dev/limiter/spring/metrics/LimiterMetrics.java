package dev.limiter.spring.metrics;

import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counter {@code limiter.decisions} by rule, resource and outcome, timer {@code limiter.wait} by rule, gauges {@code
 * limiter.keys} by storage and {@code limiter.waiting}, and of the storage in memory counter {@code limiter.evictions} by
 * cause. Clients are never a tag: there is no end to them. Registries are looked for once all beans are there, so that it
 * works in every application that has one, however the registry got there.
 */
public final class LimiterMetrics implements RateLimitListener, MeterBinder, SmartInitializingSingleton {

    private record CounterKey(String rule, String resource, Outcome outcome) {}

    private final ObjectProvider<MeterRegistry> available;
    private final RateLimiters limiters;
    private final String storageName;
    private final ConcurrentMap<CounterKey, List<Counter>> counters = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<Timer>> timers = new ConcurrentHashMap<>();
    private final Set<MeterRegistry> bound = ConcurrentHashMap.newKeySet();
    private volatile List<MeterRegistry> registries = List.of();

    public LimiterMetrics(ObjectProvider<MeterRegistry> registries, RateLimiters limiters, String storageName) {
        this.available = registries;
        this.limiters = limiters;
        this.storageName = storageName;
    }

    @Override
    public void afterSingletonsInstantiated() {
        registries = Registries.of(available);
        // What was counted before there was a registry has empty lists in their place.
        counters.clear();
        timers.clear();
        registries.forEach(this::bindTo);
    }

    /** Registers the gauges, once for each registry: Spring Boot asks for that too, where it manages the registry. */
    @Override
    public void bindTo(MeterRegistry registry) {
        if (!bound.add(registry)) {
            return;
        }
        Gauge.builder("limiter.waiting", limiters, RateLimiters::waiting)
                .description("Requests and calls that wait for their turn")
                .register(registry);
        Gauge.builder("limiter.keys", limiters.storage(), RateLimiterStorage::size)
                .description("States held, one for each rule and key")
                .tag("storage", storageName)
                .register(registry);
        if (limiters.storage() instanceof InMemoryRateLimiterStorage memory) {
            evictions("expired", memory, InMemoryRateLimiterStorage::expired, registry);
            evictions("full", memory, InMemoryRateLimiterStorage::evicted, registry);
        }
    }

    private static void evictions(
            String cause,
            InMemoryRateLimiterStorage memory,
            ToDoubleFunction<InMemoryRateLimiterStorage> count,
            MeterRegistry registry) {
        FunctionCounter.builder("limiter.evictions", memory, count)
                .description("States that were forgotten: as good as new, or for want of room")
                .tag("cause", cause)
                .register(registry);
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        for (Counter counter : counters.computeIfAbsent(
                new CounterKey(event.rule(), event.resource(), event.outcome()), this::counters)) {
            counter.increment();
        }
        if (!event.waited().isZero()) {
            timers.computeIfAbsent(event.rule(), this::timers).forEach(timer -> timer.record(event.waited()));
        }
    }

    private List<Counter> counters(CounterKey key) {
        return registries.stream()
                .map(registry -> Counter.builder("limiter.decisions")
                        .description("Decisions on requests and calls")
                        .tag("rule", key.rule())
                        .tag("resource", key.resource())
                        .tag("outcome", key.outcome().tag())
                        .register(registry))
                .toList();
    }

    private List<Timer> timers(String rule) {
        return registries.stream()
                .map(registry -> Timer.builder("limiter.wait")
                        .description("How long permitted requests waited for their turn, of rules that let them wait")
                        .tag("rule", rule)
                        .register(registry))
                .toList();
    }
}
