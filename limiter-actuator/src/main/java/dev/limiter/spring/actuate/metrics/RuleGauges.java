package dev.limiter.spring.actuate.metrics;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.spring.key.UnresolvedKeys;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RulesChanged;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Gauges of the rules in force: limits, overrides, active permits and queued requests; also unresolved keys and the
 * time that permits were held. Registered once the application has started. Thread-safe.
 */
public final class RuleGauges implements SmartLifecycle {

    private final ObjectProvider<MeterRegistry> available;
    private final LiveRules rules;
    private final PermitHolders holders;
    private final QueuedRequestCounter queued;
    private final ConcurrentMap<String, List<Timer>> held = new ConcurrentHashMap<>();

    /** The rules with a counter of unresolved keys. Micrometer warns about each repeated registration. */
    private final Set<String> countingUnresolved = new HashSet<>();

    private volatile List<MeterRegistry> registries = List.of();
    private List<Gauges> gauges = List.of();
    private boolean running;

    /** The gauges in one registry. */
    private record Gauges(MultiGauge limits, MultiGauge overrides, MultiGauge active, MultiGauge queued) {

        static Gauges of(MeterRegistry registry) {
            return new Gauges(
                    gauge("limiter.limit", "Current limit: permits per window, or in flight", registry),
                    gauge("limiter.overrides", "Keys with a temporary limit of their own", registry),
                    gauge("limiter.active", "Concurrency permits held by this instance", registry),
                    gauge("limiter.queued", "Requests and calls waiting for permits", registry));
        }

        private static MultiGauge gauge(String name, String description, MeterRegistry registry) {
            return MultiGauge.builder(name).description(description).register(registry);
        }
    }

    public RuleGauges(
            ObjectProvider<MeterRegistry> registries,
            LiveRules rules,
            PermitHolders holders,
            QueuedRequestCounter queued) {
        this.available = registries;
        this.rules = rules;
        this.holders = holders;
        this.queued = queued;
    }

    @Override
    public synchronized void start() {
        registries = MeterRegistries.of(available);
        gauges = registries.stream().map(Gauges::of).toList();
        holders.onRelease((permit, time) ->
                held.computeIfAbsent(permit.rule(), this::timers).forEach(timer -> timer.record(time)));
        running = true;
        show();
    }

    @EventListener
    public synchronized void rulesChanged(RulesChanged event) {
        show();
    }

    private List<Timer> timers(String rule) {
        return registries.stream()
                .map(registry -> Timer.builder("limiter.held")
                        .description("Time that concurrency permits were held")
                        .tag("rule", rule)
                        .register(registry))
                .toList();
    }

    private void show() {
        Map<Tags, Row<?>> limits = new LinkedHashMap<>();
        Map<Tags, Row<?>> overrides = new LinkedHashMap<>();
        Map<Tags, Row<?>> active = new LinkedHashMap<>();
        Map<Tags, Row<?>> waiting = new LinkedHashMap<>();
        for (RateLimitRule rule : rules.all()) {
            add(limits, rule.rule(), "none");
            rule.tiers().forEach((tier, limited) -> add(limits, limited, tier));
            Tags tags = Tags.of("rule", rule.name());
            overrides.putIfAbsent(tags, Row.of(tags, () -> rule.overrides().size()));
            if (rule.limitsConcurrency()) {
                active.putIfAbsent(tags, Row.of(tags, () -> holders.permits(rule.name())));
            }
            UnresolvedKeys.OfRule unresolved = rule.unresolvedKeys();
            if (unresolved != null && countingUnresolved.add(rule.name())) {
                registries.forEach(registry -> countUnresolved(rule.name(), unresolved, registry));
            }
            if (rule.ban() != null) {
                registries.forEach(registry -> LimiterMetrics.bans(rule.name(), registry));
            }
            if (rule.makesWait()) {
                waiting.putIfAbsent(tags, Row.of(tags, () -> queued.of(rule.name())));
            }
        }
        for (Gauges each : gauges) {
            each.limits().register(List.copyOf(limits.values()), true);
            each.overrides().register(List.copyOf(overrides.values()), true);
            each.active().register(List.copyOf(active.values()), true);
            each.queued().register(List.copyOf(waiting.values()), true);
        }
    }

    private static void countUnresolved(String rule, UnresolvedKeys.OfRule unresolved, MeterRegistry registry) {
        FunctionCounter.builder("limiter.keys.unresolved", unresolved, UnresolvedKeys.OfRule::sum)
                .description("Requests without a value for part of the key")
                .tag("rule", rule)
                .register(registry);
    }

    private static void add(Map<Tags, Row<?>> rows, Rule rule, String tier) {
        for (int i = 0; i < rule.limits().size(); i++) {
            Limit limit = rule.limits().get(i);
            Tags tags = Tags.of("rule", rule.name(), "limit", rule.policies().get(i), "tier", tier);
            rows.putIfAbsent(tags, Row.of(tags, limit, Limit::limit));
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
