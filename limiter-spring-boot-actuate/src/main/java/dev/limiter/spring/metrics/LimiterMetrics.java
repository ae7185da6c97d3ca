package dev.limiter.spring.metrics;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.decide.CountingListener;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
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
public final class LimiterMetrics implements CountingListener, MeterBinder, SmartInitializingSingleton {

    private static final String REJECTIONS = "limiter.rejections";
    private static final String NEAR = "limiter.near.limit";
    private static final String NONE = "none";

    /** A permitted request that leaves less than this share of a limit came near to it. */
    private final double nearShare;

    /** A limit of a rule or of a tier of it, which says so: in the words of tags. */
    private record LimitKey(String meter, String rule, String limit, String tier, Outcome outcome) {}

    /** A request that leaves more than {@code most} permits under a rule has come near to none of its limits. */
    private record NearLimit(Rule rule, long most) {}

    private final ObjectProvider<MeterRegistry> available;
    private final RateLimiters limiters;
    private final String storageName;
    private final ConcurrentMap<LimitKey, List<Counter>> limits = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<Counter>> bans = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, List<Timer>> timers = new ConcurrentHashMap<>();
    private final Set<MeterRegistry> bound = ConcurrentHashMap.newKeySet();
    private volatile List<MeterRegistry> registries = List.of();

    /** {@code nearLimit}: from which use of a limit, in percent, a request has come near to it. */
    public LimiterMetrics(
            ObjectProvider<MeterRegistry> registries, RateLimiters limiters, String storageName, int nearLimit) {
        this.nearShare = (100 - nearLimit) / 100.0;
        this.available = registries;
        this.limiters = limiters;
        this.storageName = storageName;
    }

    @Override
    public void afterSingletonsInstantiated() {
        registries = MeterRegistries.of(available);
        // Counters looked up before there was a registry are empty lists.
        limits.clear();
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
    public Tally tally(String rule, String resource, Outcome outcome) {
        return new DecisionTally(rule, resource, outcome);
    }

    /** Counts decisions of one rule on one resource with one outcome. */
    private final class DecisionTally implements Tally {

        private final String rule;
        private final String resource;
        private final Outcome outcome;
        private volatile Counter[] counters = {};
        private volatile @Nullable NearLimit near;

        DecisionTally(String rule, String resource, Outcome outcome) {
            this.rule = rule;
            this.resource = resource;
            this.outcome = outcome;
        }

        @Override
        public boolean add(@Nullable Decision part, Duration waited) {
            for (Counter counter : counters()) {
                counter.increment();
            }
            return !waited.isZero()
                    || switch (outcome) {
                        case REJECTED, SHADOW_REJECTED -> true;
                        case PERMITTED, FAILED_LOCAL -> part != null && mayBeNear(part);
                        // no limit was asked, or its standing is unknown
                        case BANNED, DENIED, SKIPPED, FAILED_OPEN, FAILED_CLOSED -> false;
                    };
        }

        @SuppressWarnings("ReferenceEquality") // rules of one name may differ in their limits
        private boolean mayBeNear(Decision part) {
            Rule asked = part.rule();
            NearLimit known = near;
            if (known == null || known.rule() != asked) {
                known = nearLimit(asked);
                near = known;
            }
            return part.remaining() <= known.most();
        }

        /** None before there is a registry. */
        private Counter[] counters() {
            Counter[] known = counters;
            if (known.length == 0 && !registries.isEmpty()) {
                known = registries.stream()
                        .map(registry -> Counter.builder("limiter.decisions")
                                .description("Decisions on requests and calls")
                                .tag("rule", rule)
                                .tag("resource", resource)
                                .tag("outcome", outcome.tag())
                                .register(registry))
                        .toArray(Counter[]::new);
                counters = known;
            }
            return known;
        }
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        Outcome outcome = event.outcome();
        switch (outcome) {
            case REJECTED, SHADOW_REJECTED -> countRefusingLimits(event, outcome);
            case PERMITTED, FAILED_LOCAL -> countNearLimits(event, outcome);
            default -> {
                // no limit was asked, or its standing is unknown
            }
        }
        if (!event.waited().isZero()) {
            timers.computeIfAbsent(event.rule(), this::timers).forEach(timer -> timer.record(event.waited()));
        }
    }

    @Override
    public void onBan(RateLimitEvent event) {
        bans.computeIfAbsent(event.rule(), this::banCounters).forEach(Counter::increment);
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

    private void countRefusingLimits(RateLimitEvent event, Outcome outcome) {
        for (LimitStatus limit : event.limits()) {
            if (!limit.permitted()) {
                count(REJECTIONS, event, limit, outcome);
            }
        }
    }

    private void countNearLimits(RateLimitEvent event, Outcome outcome) {
        for (LimitStatus limit : event.limits()) {
            if (limit.remaining() <= near(limit.limit())) {
                count(NEAR, event, limit, outcome);
            }
        }
    }

    /**
     * The bound of a rule with one limit, as most have: the decision tells its remaining permits. Several
     * limits need the event.
     */
    private NearLimit nearLimit(Rule rule) {
        return new NearLimit(
                rule, rule.limits().size() == 1 ? near(rule.limits().get(0)) : Long.MAX_VALUE);
    }

    /** How many permits of a limit are left, at most, when a request has come near to it. */
    private long near(Limit limit) {
        return (long) (nearShare * limit.capacity());
    }

    private void count(String meter, RateLimitEvent event, LimitStatus limit, Outcome outcome) {
        String tier = event.tier();
        LimitKey key = new LimitKey(meter, event.rule(), limit.policy(), tier == null ? NONE : tier, outcome);
        limits.computeIfAbsent(key, this::limitCounters).forEach(Counter::increment);
    }

    private List<Counter> limitCounters(LimitKey key) {
        return registries.stream()
                .map(registry -> Counter.builder(key.meter())
                        .description(
                                key.meter().equals(NEAR)
                                        ? "Permitted requests and calls that left little of a limit"
                                        : "Limits that refused, or would have")
                        .tag("rule", key.rule())
                        .tag("limit", key.limit())
                        .tag("tier", key.tier())
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
