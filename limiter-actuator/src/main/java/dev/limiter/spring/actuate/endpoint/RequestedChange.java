package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.RuleChange;
import org.jspecify.annotations.Nullable;

/**
 * The content of a request for a change: Actuator has one write operation for each path, and so one for all that can be
 * changed there. The parameters are those of {@link LimiterEndpoint#change}.
 */
record RequestedChange(
        RuleChange settings,
        @Nullable String key,
        @Nullable String resource,
        @Nullable Boolean ban,
        @Nullable String until,
        @Nullable Boolean observe,
        @Nullable Revision version) {

    private static final String FOR_KEYS =
            "Of a key, say \"ban\": true and nothing else, or \"limit\" and \"until\", such as 2h; all else is"
                    + " changed for all keys of a rule, without key and resource. DELETE with the key ends a ban.";

    /** The things that one request can be about. */
    enum Kind {
        OBSERVE,
        SETTINGS,
        OVERRIDE,
        BAN
    }

    /** @throws IllegalArgumentException if it is about none, or about several */
    Kind kind() {
        if (observe != null) {
            if (key != null || resource != null || ban != null || until != null || !settings.isEmpty()) {
                throw new IllegalArgumentException(
                        "\"observe\" goes alone: what else is to be different is another request.");
            }
            return Kind.OBSERVE;
        }
        if (key == null && resource == null && ban == null && until == null) {
            return Kind.SETTINGS;
        }
        if (until != null && ban == null && settings.limit() != null && isLimitOnly()) {
            return Kind.OVERRIDE;
        }
        if (until == null
                && Boolean.TRUE.equals(ban)
                && settings.limit() == null
                && settings.named() == null
                && isLimitOnly()) {
            return Kind.BAN;
        }
        throw new IllegalArgumentException(FOR_KEYS);
    }

    /** @throws LimiterConfigurationException if the rule cannot be changed here, since it is a candidate */
    void checkFits(RateLimitRule rule) {
        if (rule.live() != null && kind() != Kind.OBSERVE) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.CHANGE,
                    rule.name(),
                    null,
                    "This is the candidate of " + rule.live() + ", which only watches. Change it where it is written ("
                            + rule.origin() + ", in the configuration or the rules file), or " + rule.live()
                            + ", to have its limit be in force."));
        }
    }

    private boolean isLimitOnly() {
        return settings.window() == null
                && settings.burst() == null
                && settings.mode() == null
                && settings.enforce() == null;
    }
}
