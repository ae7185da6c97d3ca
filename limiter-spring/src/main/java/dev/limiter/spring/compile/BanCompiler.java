package dev.limiter.spring.compile;

import dev.limiter.spi.OutOfRangeException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Compiles the settings of a ban to core rules. */
final class BanCompiler {

    private BanCompiler() {}

    /** Returns the ban; null if the rule has none, or if there is a problem. */
    static @Nullable Ban compile(RuleDefinition definition, TimeSteps steps, Problems problems) {
        if (BanOptions.ALL.stream().allMatch(option -> definition.get(option) == null)) {
            return null;
        }
        Setting<Long> after = definition.get(BanOptions.AFTER);
        Setting<String> within = definition.get(BanOptions.WITHIN);
        Setting<String> length = definition.get(BanOptions.FOR);
        if (after == null || within == null || length == null) {
            problems.add(
                    MessageCode.BAN,
                    definition.origin().of("ban"),
                    null,
                    "A ban needs after, within and for. Example: ban: { after: 20, within: 1m, for: 15m }");
            return null;
        }
        steps.checkLogged(after, problems);
        Duration time = problems.collect(() -> OptionValues.duration(BanOptions.WITHIN, within, steps));
        Duration duration = problems.collect(() -> OptionValues.duration(BanOptions.FOR, length, steps));
        if (time == null || duration == null) {
            return null;
        }
        try {
            return Ban.of(definition.name(), after.value(), time, duration);
        } catch (OutOfRangeException outOfRange) {
            problems.add(
                    MessageCode.OUT_OF_RANGE, after.where(), after.value(), "It must be " + outOfRange.range() + ".");
            return null;
        }
    }
}
