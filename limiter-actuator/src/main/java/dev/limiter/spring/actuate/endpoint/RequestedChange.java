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
 * The body of a change request. Actuator allows one write operation per path, so this covers every kind of change. The
 * parameters are those of {@link LimiterEndpoint#change}.
 *
 * @param settings settings by their path below the rule, as in a rules file
 */
record RequestedChange(
        Map<String, String> settings,
        @Nullable String key,
        @Nullable String resource,
        @Nullable Boolean ban,
        @Nullable String until,
        @Nullable Boolean observe) {

    private static final String FOR_KEYS =
            "For a key, send either \"ban\": true alone, or \"limit\", \"window\" or \"burst\" together with"
                    + " \"until\", such as 2h. Other settings apply to all keys: leave out key and resource."
                    + " To end a ban, send DELETE with the key.";

    /** Longer changes belong in the configuration. */
    private static final int LONGEST_DAYS = 366;

    enum Kind {
        OBSERVE,
        RULE,
        KEY,
        BAN
    }

    /**
     * Returns the kind of this change.
     *
     * @throws IllegalArgumentException if the parameters do not fit together
     */
    Kind kind() {
        boolean ofKey = key != null || resource != null;
        if (observe != null) {
            if (ofKey || ban != null || until != null || !settings.isEmpty()) {
                throw new IllegalArgumentException(
                        "\"observe\" must be the only change in a request: send the other changes separately.");
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

    /** @throws LimiterConfigurationException if the rule is a candidate, which cannot be changed at the endpoint */
    void checkFits(RateLimitRule rule) {
        if (rule.live() != null && kind() != Kind.OBSERVE) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.CHANGE,
                    rule.name(),
                    null,
                    "This is the candidate of " + rule.live() + " and rejects nothing. Change it in the configuration"
                            + " or the rules file (" + rule.origin() + "), or change " + rule.live()
                            + " to enforce its limit."));
        }
    }

    /**
     * Returns the end of the change; null if it has none.
     *
     * @throws IllegalArgumentException if {@code until} is unreadable, in the past, or more than 366 days ahead
     */
    @Nullable
    Instant end(Instant now) {
        if (until == null) {
            return null;
        }
        Instant end = instant(until, now);
        if (!end.isAfter(now) || end.isAfter(now.plus(LONGEST_DAYS, ChronoUnit.DAYS))) {
            throw new IllegalArgumentException(
                    "until is \"" + until + "\", but must be in the future and within " + LONGEST_DAYS + " days.");
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
