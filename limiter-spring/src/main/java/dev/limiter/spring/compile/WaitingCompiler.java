package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.compiled.Waiting;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.WaitableLimits;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings about waiting into terms, or says what is wrong with them. */
final class WaitingCompiler {

    /** The longest wait where only the number of waiters is given. */
    private static final Duration DEFAULT_MAX_WAIT = Duration.ofMillis(500);

    private WaitingCompiler() {}

    /** How long a request waits at most; zero if none does, or if there is a problem. */
    static Duration maxWait(RuleDefinition definition, TimeSteps steps, Problems problems) {
        Setting<String> setting = definition.get(RuleOptions.MAX_WAIT);
        if (setting == null) {
            return definition.get(RuleOptions.MAX_WAITING) == null ? Duration.ZERO : DEFAULT_MAX_WAIT;
        }
        Duration maxWait = OptionValues.duration(RuleOptions.MAX_WAIT, setting, steps, problems);
        return maxWait == null ? Duration.ZERO : maxWait;
    }

    static void checkPhase(RuleDefinition definition, Duration maxWait, Problems problems) {
        Setting<Phase> phase = definition.get(RuleOptions.PHASE);
        if (phase != null && phase.value() == Phase.REQUEST && !maxWait.isZero()) {
            problems.add(
                    MessageCode.WAITING,
                    phase.where(),
                    phase.value(),
                    "Nobody can wait in a filter, which would hold a thread of the server meanwhile. Remove max-wait"
                            + " and max-waiting, or decide at the endpoint.");
        }
    }

    static Waiting compile(
            RuleDefinition definition, Duration maxWait, @Nullable BooleanExpression priority, Problems problems) {
        Setting<Integer> maxWaiting = definition.get(RuleOptions.MAX_WAITING);
        if (maxWaiting != null && maxWaiting.value() < 1) {
            problems.add(
                    MessageCode.WAITING, maxWaiting.where(), maxWaiting.value(), "It must be 1 or more, such as 10.");
        }
        return new Waiting(
                maxWait,
                maxWaiting == null ? Integer.MAX_VALUE : maxWaiting.value(),
                priority,
                reserve(definition, problems));
    }

    /** Checks that each option has another one that it needs. */
    static void checkOptions(RuleDefinition definition, Duration maxWait, Problems problems) {
        Setting<Integer> maxWaiting = definition.get(RuleOptions.MAX_WAITING);
        if (maxWaiting != null && maxWait.isZero()) {
            problems.add(
                    MessageCode.WAITING,
                    maxWaiting.where(),
                    maxWaiting.value(),
                    "Nobody waits: it needs a max-wait that is longer than zero, such as 500ms.");
        }
        Setting<String> priority = definition.get(RuleOptions.PRIORITY);
        Setting<String> reserve = definition.get(RuleOptions.RESERVE);
        if (reserve != null && priority == null) {
            problems.add(
                    MessageCode.PRIORITY,
                    reserve.where(),
                    reserve.value(),
                    "Nobody could have the reserve: say with priority for whom it is, or remove it.");
        }
        if (priority != null && reserve == null && maxWait.isZero()) {
            problems.add(
                    MessageCode.PRIORITY,
                    priority.where(),
                    priority.value(),
                    "Priority over what? Add a reserve, such as 20%, or a max-wait for those who have it.");
        }
    }

    /**
     * Checks that the terms fit the limits of the rule, or of a tier.
     *
     * @param place of the limits behind that of the rule; empty for its own
     */
    static void checkLimits(
            RuleDefinition definition, Duration maxWait, List<Limit> limits, String place, Problems problems) {
        String tier = definition.origin() + place;
        Setting<String> priority = definition.get(RuleOptions.PRIORITY);
        if (priority != null && limits.stream().anyMatch(Limit::isSpaced)) {
            problems.add(
                    MessageCode.PRIORITY,
                    priority.where(),
                    priority.value(),
                    "Where requests are spaced out (warm-up, leaky-bucket with max-wait"
                            + (place.isEmpty() ? "" : " in " + tier)
                            + ") all wait for their turn. Remove the priority, or choose token-bucket.");
        }
        if (!maxWait.isZero() && !limits.isEmpty() && limits.stream().noneMatch(limit -> waits(limit, definition))) {
            Setting<?> said = definition.get(RuleOptions.MAX_WAIT);
            Setting<?> setting = said == null ? definition.get(RuleOptions.MAX_WAITING) : said;
            problems.add(
                    MessageCode.WAITING,
                    setting == null ? "" : setting.where(),
                    setting == null ? null : setting.value(),
                    "Nobody can wait for " + (place.isEmpty() ? "this limit" : "the limit of " + tier)
                            + " and it would be ignored; for fixed-window only requests with priority can, unless align"
                            + " is first, or all with charge-if. Remove it, or choose another algorithm.");
        }
    }

    private static boolean waits(Limit limit, RuleDefinition definition) {
        boolean fromFirst = limit instanceof Limit.FixedWindow fixed && fixed.fromFirst();
        return WaitableLimits.include(limit.algorithm(), fromFirst, definition);
    }

    private static int reserve(RuleDefinition definition, Problems problems) {
        Setting<String> setting = definition.get(RuleOptions.RESERVE);
        if (setting == null) {
            return 0;
        }
        int percent = LeaseCompiler.percent(setting.value());
        if (percent < 1) {
            problems.add(
                    MessageCode.PRIORITY,
                    setting.where(),
                    setting.value(),
                    "A reserve is a share from 1% to 99%, such as 20%.");
        }
        return percent;
    }
}
