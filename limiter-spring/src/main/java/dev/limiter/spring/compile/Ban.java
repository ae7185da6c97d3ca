package dev.limiter.spring.compile;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import java.time.Duration;

/**
 * Bans a key for a while after too many rejections. Both parts are core rules, so the storage bounds and evicts them
 * like all others. Immutable.
 *
 * @param rejections counts the rejections of each key; a full limit starts a ban
 * @param bans one permit, taken for as long as the key is banned
 */
public record Ban(Rule rejections, Rule bans) {

    private static final String REJECTIONS = "/rejections";
    private static final String BANS = "/bans";

    /** Returns whether a core rule is part of a ban. */
    static boolean isPart(Rule rule) {
        return rule.name().endsWith(REJECTIONS) || rule.name().endsWith(BANS);
    }

    /**
     * Returns whether a key is banned, given the state of {@link #bans()}. A state that several keys share bans none of
     * them.
     */
    public static boolean isInForce(Decision state) {
        return !state.permitted() && !AbstractDecision.of(state).sharesState();
    }

    /** Returns the ban of a rule. Configured names contain no slash, so they cannot clash with its parts. */
    public static Ban of(String ruleName, long after, Duration within, Duration duration) {
        return new Ban(
                Rule.of(ruleName + REJECTIONS, Limit.slidingWindowLog(after, within)),
                Rule.of(ruleName + BANS, Limit.fixedWindow(1, duration).alignFirst()));
    }
}
