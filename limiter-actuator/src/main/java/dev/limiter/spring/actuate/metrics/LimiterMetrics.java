package dev.limiter.spring.actuate.metrics;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.DecisionMeter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.PerOutcome;
import dev.limiter.spring.operate.DecidingStorage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts decisions, rejections by limit, near misses, bans, waits and evictions.
 *
 * <p>Client keys are never a tag, because their number is unbounded. Registries are looked up after all beans exist, so
 * that any kind of registry works. Thread-safe.
 */
public final class LimiterMetrics implements DecisionMeter, MeterBinder, SmartInitializingSingleton {

    private static final String REJECTIONS = "limiter.rejections";
    private static final String NEAR = "limiter.near.limit";
    private static final String NONE = "none";

    /** A permitted request is near the limit if it leaves at most this percentage. */
    private final int littlePercent;

    private final ObjectProvider<MeterRegistry> available;
    private final RateLimiters limiters;
    private final DecidingStorage storage;
    private final PerOutcome<OutcomeCounters> counters = new PerOutcome<>(OutcomeCounters::new);
    private final ConcurrentMap<String, List<Counter>> bans = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<Timer>> timers = new ConcurrentHashMap<>();
    private final Set<MeterRegistry> bound = ConcurrentHashMap.newKeySet();
    private volatile List<MeterRegistry> registries = List.of();

    /** @param nearLimit the percentage of a limit from which a request is counted as near it */
    public LimiterMetrics(
            ObjectProvider<MeterRegistry> registries, RateLimiters limiters, DecidingStorage storage, int nearLimit) {
        this.littlePercent = 100 - nearLimit;
        this.available = registries;
        this.limiters = limiters;
        this.storage = storage;
    }

    @Override
    public void afterSingletonsInstantiated() {
        registries = MeterRegistries.of(available);
        // drop the empty lists cached before registries were known
        bans.clear();
        timers.clear();
        registries.forEach(this::bindTo);
    }

    /** Registers the gauges once per registry. Spring Boot also calls this for the registries that it manages. */
    @Override
    public void bindTo(MeterRegistry registry) {
        if (!bound.add(registry)) {
            return;
        }
        Gauge.builder("limiter.waiting", limiters, RateLimiters::waiting)
                .description("Requests and calls waiting for permits")
                .register(registry);
        Gauge.builder("limiter.keys", storage.storage(), RateLimiterStorage::size)
                .description("Buckets in the storage, one per rule and key")
                .tag("storage", storage.name())
                .register(registry);
        if (DecidingStorage.target(storage.storage()) instanceof InMemoryRateLimiterStorage) {
            evictions("expired", InMemoryRateLimiterStorage::expired, registry);
            evictions("full", InMemoryRateLimiterStorage::evicted, registry);
        }
    }

    private void evictions(String cause, ToDoubleFunction<InMemoryRateLimiterStorage> count, MeterRegistry registry) {
        FunctionCounter.builder(
                        "limiter.evictions",
                        storage.storage(),
                        asked -> count.applyAsDouble((InMemoryRateLimiterStorage) DecidingStorage.target(asked)))
                .description("Buckets removed because they expired or the storage was full")
                .tag("cause", cause)
                .register(registry);
    }

    @Override
    public void count(
            RateLimitRule rule,
            String resource,
            Outcome outcome,
            @Nullable Charge charge,
            @Nullable Decision decision,
            Duration waited) {
        counters.get(rule.name(), resource, outcome).count(rule, charge, decision, waited);
    }

    private final class OutcomeCounters {

        private final String rule;
        private final String resource;
        private final Outcome outcome;
        private volatile Counter[] counters = {};

        /** By policy and tier instead of rule, because some rules are created per decision. Filled on first use. */
        private final ConcurrentMap<String, ConcurrentMap<String, Counter[]>> limits = new ConcurrentHashMap<>();

        OutcomeCounters(String rule, String resource, Outcome outcome) {
            this.rule = rule;
            this.resource = resource;
            this.outcome = outcome;
        }

        void count(RateLimitRule by, @Nullable Charge charge, @Nullable Decision part, Duration waited) {
            Counter[] known = counters;
            for (Counter counter : known.length == 0 ? begin() : known) {
                counter.increment();
            }
            if (charge != null && part != null) {
                switch (outcome) {
                    case REJECTED, SHADOW_REJECTED -> countRejecting(by, charge, part);
                    case PERMITTED, FAILED_LOCAL -> countNear(by, charge, part);
                    case BANNED, DENIED, SKIPPED, FAILED_OPEN, FAILED_CLOSED -> {
                        // no limit was checked, or its state is unknown
                    }
                }
            }
            if (!waited.isZero()) {
                timers.computeIfAbsent(rule, LimiterMetrics.this::timers).forEach(timer -> timer.record(waited));
            }
        }

        private void countRejecting(RateLimitRule by, Charge charge, Decision part) {
            for (LimitStatus limit : part.limits()) {
                if (!limit.permitted()) {
                    count(REJECTIONS, "Limits that rejected a request, or would have", limit, by.tierOf(charge.rule()));
                }
            }
        }

        private void countNear(RateLimitRule by, Charge charge, Decision part) {
            if (!mayBeNear(part)) {
                return;
            }
            for (LimitStatus limit : part.limits()) {
                if (isNear(charge, limit.remaining(), limit.limit())) {
                    String description = "Permitted requests and calls that came close to a limit";
                    count(NEAR, description, limit, by.tierOf(charge.rule()));
                }
            }
        }

        /** A cheap check that skips most requests: compares the smallest remainder with each capacity. */
        private boolean mayBeNear(Decision part) {
            long least = part.remaining();
            List<Limit> limits = part.rule().limits();
            for (int i = 0; i < limits.size(); i++) {
                if (isLittle(least, limits.get(i).capacity())) {
                    return true;
                }
            }
            return false;
        }

        private void count(String meter, String description, LimitStatus limit, @Nullable String tierOrNull) {
            String policy = limit.policy();
            String tier = tierOrNull == null ? NONE : tierOrNull;
            ConcurrentMap<String, Counter[]> tiers = limits.get(policy);
            Counter[] known = tiers == null ? null : tiers.get(tier);
            if (known == null) {
                known = registries.stream()
                        .map(registry -> Counter.builder(meter)
                                .description(description)
                                .tag("rule", rule)
                                .tag("limit", policy)
                                .tag("tier", tier)
                                .tag("outcome", outcome.tag())
                                .register(registry))
                        .toArray(Counter[]::new);
                if (known.length > 0) {
                    limits.computeIfAbsent(policy, unknown -> new ConcurrentHashMap<>())
                            .put(tier, known);
                }
            }
            for (Counter counter : known) {
                counter.increment();
            }
        }

        /** Returns no counters until registries are known. */
        private Counter[] begin() {
            if (registries.isEmpty()) {
                return counters;
            }
            counters = registries.stream()
                    .map(registry -> Counter.builder("limiter.decisions")
                            .description("Decisions on requests and calls")
                            .tag("rule", rule)
                            .tag("resource", resource)
                            .tag("outcome", outcome.tag())
                            .register(registry))
                    .toArray(Counter[]::new);
            return counters;
        }
    }

    @Override
    public void countBan(RateLimitRule rule) {
        bans.computeIfAbsent(rule.name(), this::banCounters).forEach(Counter::increment);
    }

    private List<Counter> banCounters(String rule) {
        return registries.stream().map(registry -> bans(rule, registry)).toList();
    }

    static Counter bans(String rule, MeterRegistry registry) {
        return Counter.builder("limiter.bans")
                .description("Bans that started")
                .tag("rule", rule)
                .register(registry);
    }

    /** Spaced limits never count as near: each request takes everything that is available at once. */
    private boolean isNear(Charge charge, long remaining, Limit limit) {
        return !PermitArithmetic.isSpaced(limit) && isLittle(remaining, PermitArithmetic.atOnce(charge, limit));
    }

    private boolean isLittle(long remaining, long most) {
        return remaining <= littlePercent * most / 100;
    }

    private List<Timer> timers(String rule) {
        return registries.stream()
                .map(registry -> Timer.builder("limiter.wait")
                        .description("Time that permitted requests and calls waited for permits")
                        .tag("rule", rule)
                        .register(registry))
                .toList();
    }
}
