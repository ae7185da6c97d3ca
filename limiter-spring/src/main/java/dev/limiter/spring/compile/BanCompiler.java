package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.BanDefinition;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings of a ban into rules of the core. */
final class BanCompiler {

    private static final String EXAMPLE = " Example: ban: { after: 20, within: 1m, for: 15m }";

    private BanCompiler() {}

    /** Null if there is none, or a problem. */
    static @Nullable Ban compile(RuleDefinition definition, TimeSteps steps, Problems problems) {
        BanDefinition ban = definition.ban();
        if (ban == null) {
            return null;
        }
        long after = after(ban, steps, problems);
        Duration within = duration(ban, "within", ban.within(), steps, problems);
        Duration duration = duration(ban, "for", ban.duration(), steps, problems);
        return after > 0 && within != null && duration != null
                ? Ban.of(definition.name(), after, within, duration)
                : null;
    }

    /** An attacker could have all clients banned because of one. */
    static void refuseWithoutKey(RuleDefinition definition, Problems problems) {
        Setting<List<String>> key = definition.get(RuleOptions.KEY);
        problems.add(
                MessageCode.BAN_WITHOUT_KEY,
                definition.ban() == null
                        ? definition.origin().toString()
                        : definition.ban().where(),
                null,
                "A ban needs a key that tells clients apart: "
                        + (key == null ? "the rule has none, and" : "with " + String.join(",", key.value()) + ",")
                        + " all would be banned because of one. Write one, such as key: ip, or remove the ban.");
    }

    private static long after(BanDefinition ban, TimeSteps steps, Problems problems) {
        if (ban.after() == null) {
            problems.add(MessageCode.BAN, ban.where(), null, "Say after how many rejections." + EXAMPLE);
            return 0;
        }
        long after = ban.after().value();
        if (after < 1 || after > Limit.MAX_PERMITS) {
            problems.add(
                    MessageCode.BAN,
                    ban.after().where(),
                    after,
                    "It must be from 1 to " + Limit.MAX_PERMITS + "." + EXAMPLE);
            return 0;
        }
        steps.checkLogged(ban.after(), problems);
        return after;
    }

    private static @Nullable Duration duration(
            BanDefinition ban,
            String attribute,
            @Nullable Setting<String> setting,
            TimeSteps steps,
            Problems problems) {
        if (setting == null) {
            problems.add(MessageCode.BAN, ban.where(), null, "Say " + attribute + " how long." + EXAMPLE);
            return null;
        }
        try {
            Duration duration = DurationParser.parse(setting.value());
            steps.check(setting, duration, problems);
            if (!duration.isZero() && duration.compareTo(Limit.MAX_WINDOW) <= 0) {
                return duration;
            }
            problems.add(
                    MessageCode.BAN,
                    setting.where(),
                    setting.value(),
                    "It must be longer than zero and at most " + Limit.MAX_WINDOW.toDays() + " days." + EXAMPLE);
        } catch (IllegalArgumentException exception) {
            problems.add(MessageCode.BAN, setting.where(), setting.value(), exception.getMessage() + ".");
        }
        return null;
    }
}
