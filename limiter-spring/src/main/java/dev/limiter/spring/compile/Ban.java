package dev.limiter.spring.compile;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import java.time.Duration;

/**
 * When a key is rejected outright for a while. Both halves are rules to the core, so that they are decided, bounded and
 * forgotten like all others. Immutable.
 *
 * @param rejections counts the rejections of each key: full when there were too many
 * @param bans one permit, taken for as long as the key is banned
 */
public record Ban(Rule rejections, Rule bans) {

    private static final String REJECTIONS = "/rejections";
    private static final String BANS = "/bans";

    /** Whether a rule of the core is part of a ban. */
    static boolean isPart(Rule rule) {
        return rule.name().endsWith(REJECTIONS) || rule.name().endsWith(BANS);
    }

    /** Whether a key is banned, by where it stands with {@link #bans()}; no key is by a state that several share. */
    public static boolean isInForce(Decision state) {
        return !state.permitted() && !AbstractDecision.of(state).sharesState();
    }

    /** Names of rules that are configured have no slash. */
    public static Ban of(String ruleName, long after, Duration within, Duration duration) {
        return new Ban(
                Rule.of(ruleName + REJECTIONS, Limit.slidingWindowLog(after, within)),
                Rule.of(ruleName + BANS, Limit.fixedWindow(1, duration).alignFirst()));
    }
}
