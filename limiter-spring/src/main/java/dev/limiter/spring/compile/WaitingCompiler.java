package dev.limiter.spring.compile;

import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Compiles the settings for waiting and priority. */
final class WaitingCompiler {

    /** The longest wait if only max-waiting is set. */
    private static final Duration DEFAULT_MAX_WAIT = Duration.ofMillis(500);

    private static final int MOST_RESERVED = 99;

    private WaitingCompiler() {}

    /** Returns the longest wait of a request; zero if requests do not wait, or if there is a problem. */
    static Duration maxWait(RuleDefinition definition, TimeSteps steps, Problems problems) {
        Setting<String> setting = definition.get(RuleOptions.MAX_WAIT);
        if (setting == null) {
            return definition.get(RuleOptions.MAX_WAITING) == null ? Duration.ZERO : DEFAULT_MAX_WAIT;
        }
        Duration maxWait = problems.collect(() -> OptionValues.duration(RuleOptions.MAX_WAIT, setting, steps));
        return maxWait == null ? Duration.ZERO : maxWait;
    }

    static Waiting compile(
            RuleDefinition definition, Duration maxWait, @Nullable BooleanExpression priority, Problems problems) {
        Setting<Integer> maxWaiting = definition.get(RuleOptions.MAX_WAITING);
        if (maxWaiting != null && maxWaiting.value() < 1) {
            problems.add(
                    MessageCode.WAITING, maxWaiting.where(), maxWaiting.value(), "It must be 1 or more, such as 10.");
        }
        Setting<Phase> phase = definition.get(RuleOptions.PHASE);
        if (phase != null && phase.value() == Phase.REQUEST && !maxWait.isZero()) {
            problems.add(
                    MessageCode.WAITING,
                    phase.where(),
                    phase.value(),
                    "Requests cannot wait in a filter. Remove max-wait and max-waiting, or use phase: endpoint.");
        }
        Setting<String> reserve = definition.get(RuleOptions.RESERVE);
        Integer kept = reserve == null
                ? null
                : problems.collect(() -> OptionValues.percent(reserve, MOST_RESERVED, MessageCode.PRIORITY));
        return new Waiting(
                maxWait,
                maxWaiting == null ? Integer.MAX_VALUE : maxWaiting.value(),
                priority,
                kept == null ? 0 : kept);
    }
}
