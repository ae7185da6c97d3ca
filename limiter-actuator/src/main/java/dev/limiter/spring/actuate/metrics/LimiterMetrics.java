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
 * Counters {@code limiter.decisions} by rule, resource and outcome, {@code limiter.rejections} and {@code
 * limiter.near.limit} by rule, limit, tier and outcome; counter {@code limiter.bans} by rule; timer {@code
 * limiter.wait} by rule; gauges {@code limiter.keys} by storage and {@code limiter.waiting}; and for the storage in
 * memory counter {@code limiter.evictions} by cause.
 *
 * <p>Clients are never a tag: their number is unbounded. Registries are looked up after all beans are created, so that
 * any kind of registry works. Thread-safe.
 */
public final class LimiterMetrics implements DecisionMeter, MeterBinder, SmartInitializingSingleton {

    private static final String REJECTIONS = "limiter.rejections";
    private static final String NEAR = "limiter.near.limit";
    private static final String NONE = "none";

    /** A permitted request that leaves no more than so many percent of a limit came near to it. */
    private final int littlePercent;

    private final ObjectProvider<MeterRegistry> available;
    private final RateLimiters limiters;
    private final DecidingStorage storage;
    private final PerOutcome<OutcomeCounters> counters = new PerOutcome<>(OutcomeCounters::new);
    private final ConcurrentMap<String, List<Counter>> bans = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<Timer>> timers = new ConcurrentHashMap<>();
    private final Set<MeterRegistry> bound = ConcurrentHashMap.newKeySet();
    private volatile List<MeterRegistry> registries = List.of();

    /** {@code nearLimit}: from which use of a limit, in percent, a request has come near to it. */
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
        // Meters looked up before there was a registry are empty lists.
        bans.clear();
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
        Gauge.builder("limiter.keys", storage.storage(), RateLimiterStorage::size)
                .description("States held, one for each rule and key")
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
                .description("States that were forgotten: as good as new, or for want of room")
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

    /** The counters of one rule on one resource with one outcome. */
    private final class OutcomeCounters {

        private final String rule;
        private final String resource;
        private final Outcome outcome;
        private volatile Counter[] counters = {};

        /** By policy and tier, since a rule may be made anew for each decision. Each begins when it counts. */
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
                        // no limit was asked, or its standing is unknown
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
                    count(REJECTIONS, "Limits that rejected, or would have", limit, by.tierOf(charge.rule()));
                }
            }
        }

        private void countNear(RateLimitRule by, Charge charge, Decision part) {
            if (!mayBeNear(part)) {
                return;
            }
            for (LimitStatus limit : part.limits()) {
                if (isNear(charge, limit.remaining(), limit.limit())) {
                    String description = "Permitted requests and calls that left little of a limit";
                    count(NEAR, description, limit, by.tierOf(charge.rule()));
                }
            }
        }

        /** The least that is left of any limit is little of one of them, whatever is kept. */
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

        /** None before there is a registry. */
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
                .description("Bans of keys that began")
                .tag("rule", rule)
                .register(registry);
    }

    /** Each request takes all that a spaced limit has at once. */
    private boolean isNear(Charge charge, long remaining, Limit limit) {
        return !PermitArithmetic.isSpaced(limit) && isLittle(remaining, PermitArithmetic.atOnce(charge, limit));
    }

    private boolean isLittle(long remaining, long most) {
        return remaining <= littlePercent * most / 100;
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
