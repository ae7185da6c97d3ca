package dev.limiter.spring.metrics;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.RulesChanged;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Gauges {@code limiter.limit} by rule, limit and tier, and {@code limiter.overrides} by rule: those of the rules in force,
 * from when the application has started. Thread-safe.
 */
public final class RuleGauges implements SmartLifecycle {

    private final ObjectProvider<MeterRegistry> available;
    private final LiveRules rules;
    private List<Gauges> gauges = List.of();
    private boolean running;

    private record Gauges(MultiGauge limits, MultiGauge overrides) {

        static Gauges of(MeterRegistry registry) {
            return new Gauges(
                    MultiGauge.builder("limiter.limit")
                            .description("Permits per window, or in flight, of a limit in force")
                            .register(registry),
                    MultiGauge.builder("limiter.overrides")
                            .description("Keys that have another limit for a while")
                            .register(registry));
        }
    }

    public RuleGauges(ObjectProvider<MeterRegistry> registries, LiveRules rules) {
        this.available = registries;
        this.rules = rules;
    }

    @Override
    public synchronized void start() {
        gauges = Registries.of(available).stream().map(Gauges::of).toList();
        running = true;
        show();
    }

    @EventListener
    public synchronized void rulesChanged(RulesChanged event) {
        show();
    }

    private void show() {
        Map<Tags, Row<?>> limits = new LinkedHashMap<>();
        Map<Tags, Row<?>> overrides = new LinkedHashMap<>();
        for (RateLimitRule rule : rules.all()) {
            add(limits, rule.rule(), "none");
            rule.tiers().forEach((tier, limited) -> add(limits, limited, tier));
            Tags tags = Tags.of("rule", rule.name());
            overrides.putIfAbsent(tags, Row.of(tags, () -> rule.overrides().size()));
        }
        for (Gauges each : gauges) {
            each.limits().register(new ArrayList<>(limits.values()), true);
            each.overrides().register(new ArrayList<>(overrides.values()), true);
        }
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
