package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.DurationParser;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleOptions;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a request for a change: Actuator has one write operation for each path, and so one for all that can be
 * changed there. The parameters are those of {@link LimiterEndpoint#change}.
 *
 * @param settings as those of a rules file, below the rule
 */
record RequestedChange(
        Map<String, String> settings,
        @Nullable String key,
        @Nullable String resource,
        @Nullable Boolean ban,
        @Nullable String until,
        @Nullable Boolean observe) {

    private static final String FOR_KEYS =
            "Of a key, say \"ban\": true and nothing else, or \"limit\", \"window\" or \"burst\" and \"until\", such as"
                    + " 2h; all else is changed for all keys of a rule, without key and resource. DELETE with the key"
                    + " ends a ban.";

    /** A longer change belongs into the configuration. */
    private static final int LONGEST_DAYS = 366;

    /** The things that one request can be about. */
    enum Kind {
        OBSERVE,
        RULE,
        KEY,
        BAN
    }

    /** @throws IllegalArgumentException if it is about none, or about several */
    Kind kind() {
        boolean ofKey = key != null || resource != null;
        if (observe != null) {
            if (ofKey || ban != null || until != null || !settings.isEmpty()) {
                throw new IllegalArgumentException(
                        "\"observe\" goes alone: what else is to be different is another request.");
            }
            return Kind.OBSERVE;
        }
        if (ban != null) {
            return only(Kind.BAN, ban && until == null && settings.isEmpty());
        }
        boolean limits = !settings.containsKey(RuleOptions.MODE.name())
                && !settings.containsKey(RuleOptions.ROLLOUT.name())
                && !settings.isEmpty();
        return ofKey ? only(Kind.KEY, limits && until != null) : Kind.RULE;
    }

    private static Kind only(Kind kind, boolean complete) {
        if (!complete) {
            throw new IllegalArgumentException(FOR_KEYS);
        }
        return kind;
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

    /**
     * When the change ends; null if it stays.
     *
     * @throws IllegalArgumentException if that is neither an instant nor a duration, or not within a year from now
     */
    @Nullable
    Instant end(Instant now) {
        if (until == null) {
            return null;
        }
        Instant end = instant(until, now);
        if (!end.isAfter(now) || end.isAfter(now.plus(LONGEST_DAYS, ChronoUnit.DAYS))) {
            throw new IllegalArgumentException(
                    "until is \"" + until + "\", but must be within " + LONGEST_DAYS + " days from now.");
        }
        return end;
    }

    private static Instant instant(String until, Instant now) {
        try {
            return OffsetDateTime.parse(until).toInstant();
        } catch (DateTimeException noInstant) {
            try {
                return now.plus(DurationParser.parse(until));
            } catch (IllegalArgumentException | DateTimeException | ArithmeticException wrong) {
                throw new IllegalArgumentException(
                        "until is \"" + until
                                + "\", but must be a time such as 2026-12-01T08:00:00Z, or a duration such as 2h.",
                        wrong);
            }
        }
    }
}
