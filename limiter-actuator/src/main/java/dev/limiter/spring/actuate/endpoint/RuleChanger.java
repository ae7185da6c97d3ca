package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes rules, and starts and stops the recording of their demand. Thread-safe. */
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

    Map<String, Object> change(
            String rule,
            List<RateLimitRule> before,
            RequestedChange wanted,
            @Nullable Long version,
            Operator operator) {
        long made = rules.change(rule, null, operator.change(wanted, rules.now()), version);
        return changed(rule, before, made, operator);
    }

    Map<String, Object> changeAll(RequestedChange wanted, @Nullable Long version, Operator operator) {
        Mode before = rules.mode();
        long made = rules.changeAll(operator.change(wanted, rules.now()), version);
        return changedAll(before, made, operator);
    }

    /** Reverts the mode of all rules to the configuration. */
    Map<String, Object> revertAll(@Nullable Long version, Operator operator) {
        Mode before = rules.mode();
        long made = rules.revert(Changes.ALL_RULES::equals, version);
        return changedAll(before, made, operator);
    }

    private Map<String, Object> changedAll(Mode before, long version, Operator operator) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("version", version);
        details.put("before", Map.of("mode", EnumText.of(before)));
        details.put("after", Map.of("mode", EnumText.of(rules.mode())));
        log.report("LIMITER_RULE_CHANGED", Changes.ALL_RULES.rule(), details, operator);
        return reader.all();
    }

    /** Reverts a rule to the configuration, but keeps the overrides of its keys. */
    Map<String, Object> revert(String rule, List<RateLimitRule> before, @Nullable Long version, Operator operator) {
        String canonical = RuleName.canonical(rule);
        long made = rules.revert(target -> target.key() == null && target.rule().equals(canonical), version);
        return changed(rule, before, made, operator);
    }

    /** Removes all changes of a rule that no longer exists; returns null if there are none. */
    @Nullable
    Map<String, Object> forget(String rule, @Nullable Long version, Operator operator) {
        String canonical = RuleName.canonical(rule);
        if (rules.changes().all().keySet().stream()
                .noneMatch(target -> target.rule().equals(canonical))) {
            return null;
        }
        long made = rules.revert(target -> target.rule().equals(canonical), version);
        log.report("LIMITER_RULE_CHANGED", rule, Map.of("version", made), operator);
        return reader.all();
    }

    private Map<String, Object> changed(String rule, List<RateLimitRule> before, long version, Operator operator) {
        List<RateLimitRule> after = rules.named(rule);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("version", version);
        details.put("before", RuleDescription.settings(before));
        details.put("after", RuleDescription.settings(after));
        log.report("LIMITER_RULE_CHANGED", rule, details, operator);
        return reader.describe(after);
    }

    /** Starts or stops recording the demand of keys. */
    Map<String, Object> observe(RateLimitRule rule, boolean begin, Operator operator) {
        if (begin) {
            Duration window = rule.rule().limits().get(0).window();
            if (window.isZero()) {
                throw new IllegalArgumentException("Demand cannot be recorded for a limit without a window.");
            }
            demand.retain(name -> !rules.named(name).isEmpty());
            demand.begin(rule.name(), window);
        } else {
            demand.end(rule.name());
        }
        log.report("LIMITER_DEMAND_OBSERVED", rule.name(), Map.of("begin", begin), operator);
        return reader.describe(rules.named(rule.name()));
    }
}
