package dev.limiter.spring.compile;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import org.jspecify.annotations.Nullable;

/** Turns the candidate of a rule into a shadow rule: the same requests with other limits. */
public final class CandidateRules {

    static final String SUFFIX = "-candidate";

    /** The name of the rule that a candidate belongs to. */
    static final Option<String> LIVE = Option.of("live");

    private CandidateRules() {}

    /**
     * Returns the shadow rule; null if the rule has no candidate.
     *
     * @throws LimiterConfigurationException if it does not fit the rule
     */
    public static @Nullable RuleDefinition of(RuleDefinition live) {
        LimitsDefinition candidate = live.value(LimitsDefinition.CANDIDATE);
        if (candidate == null) {
            return null;
        }
        RuleDefinition changed = candidate.over(live, MessageCode.CANDIDATE);
        RuleOrigin origin = RuleOrigin.property(candidate.limit().where());
        Settings settings = live.settings()
                .without(
                        LimitsDefinition.CANDIDATE,
                        RuleOptions.LIMIT_RESOLVER,
                        RuleOptions.LIMIT_CACHE,
                        RuleOptions.ROLLOUT,
                        ChangeOrigin.OVERRIDES,
                        BanOptions.AFTER,
                        BanOptions.WITHIN,
                        BanOptions.FOR)
                .with(RuleOptions.MODE, Mode.SHADOW.weaker(live.value(RuleOptions.MODE, Mode.SHADOW)), origin)
                .with(LIVE, live.name(), origin);
        return new RuleDefinition(live.name() + SUFFIX, origin, changed.limit(), changed.limits(), settings);
    }
}
