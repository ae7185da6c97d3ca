package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.KeyOverride;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes rules as a whole, and has their demand be recorded. Thread-safe. */
final class RuleChanger {

    private final LiveRules rules;
    private final DemandRecorder demand;
    private final RuleReader reader;
    private final OperatorLog log;

    RuleChanger(LiveRules rules, DemandRecorder demand, RuleReader reader, OperatorLog log) {
        this.rules = rules;
        this.demand = demand;
        this.reader = reader;
        this.log = log;
    }

    /** Changes the settings of a rule from now on. */
    Map<String, Object> change(String rule, List<RateLimitRule> before, RequestedChange wanted, Operator operator) {
        return tell(
                rule,
                before,
                rules.change(rule, wanted.settings().signed(operator.signature(rules.now())), wanted.version()),
                operator);
    }

    /** Has a rule be as configured, without overrides of keys that do not fit it. */
    Map<String, Object> restore(
            String rule, List<RateLimitRule> before, @Nullable Revision version, Operator operator) {
        List<KeyOverride> overrides = rules.overrides(rule);
        Map<String, Object> body = tell(rule, before, rules.restore(rule, version), operator);
        List<KeyOverride> left = rules.overrides(rule);
        overrides.stream()
                .filter(override -> !left.contains(override))
                .map(KeyOverride::key)
                .distinct()
                .forEach(key -> log.overrideEnded(rule, key, operator));
        return body;
    }

    /** Forgets the changes of a name that no rule has; null if there are none. */
    @Nullable
    Map<String, Object> forget(String rule, @Nullable Revision version, Operator operator) {
        Object forgotten = reader.changesOfNoRule(rule);
        if (forgotten == null) {
            return null;
        }
        log.changed(rule, forgotten, Map.of(), rules.forget(rule, version), operator);
        return reader.all();
    }

    private Map<String, Object> tell(String rule, List<RateLimitRule> before, long version, Operator operator) {
        List<RateLimitRule> after = rules.named(rule);
        log.changed(rule, RuleDescription.settings(before), RuleDescription.settings(after), version, operator);
        return reader.describe(after);
    }

    /** Has all rules be as they were before the last change. */
    Map<String, Object> undo(@Nullable Revision version, Operator operator) {
        log.undone(rules.undo(version), operator);
        return reader.all();
    }

    /** Has the changes that this instance knows be kept in the place of what cannot be read. */
    Map<String, Object> repair(Operator operator) {
        log.repaired(rules.repair(), operator);
        return reader.all();
    }

    /** Begins or ends to record what keys ask for. */
    Map<String, Object> observe(RateLimitRule rule, boolean begin, Operator operator) {
        if (begin) {
            Duration window = rule.rule().limits().get(0).window();
            if (window.isZero()) {
                throw new IllegalArgumentException("A limit without a window has no demand to be recorded.");
            }
            demand.retain(name -> !rules.named(name).isEmpty());
            demand.begin(rule.name(), window);
        } else {
            demand.end(rule.name());
        }
        log.observed(rule.name(), begin, operator);
        return reader.describe(rules.named(rule.name()));
    }
}
