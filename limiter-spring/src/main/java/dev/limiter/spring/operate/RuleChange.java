package dev.limiter.spring.operate;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a rule that are to be different; a null leaves one as it is. Immutable.
 *
 * @param named the name of the limit, of a rule with several; null for the only one
 * @param limit permits per window, 1 to 10^15
 * @param window as in properties, such as {@code 10s} or {@code PT10S}
 * @param burst for buckets, 1 to 10^15
 * @param enforce the share of the keys that are refused, such as {@code 10%}
 */
public record RuleChange(
        @Nullable String named,
        @Nullable Long limit,
        @Nullable String window,
        @Nullable Long burst,
        @Nullable Mode mode,
        @Nullable String enforce) {

    private static final RuleOrigin ORIGIN = RuleOrigin.source("a change at the endpoint");

    /** Whether nothing is to be different. */
    public boolean isEmpty() {
        return limit == null && window == null && burst == null && mode == null && enforce == null;
    }

    /** @throws LimiterConfigurationException if nothing is to be different */
    void check() {
        if (isEmpty()) {
            throw problem("There is nothing to change: say limit, window, burst, mode or enforce.");
        }
    }

    /** Whether it is about the same limit as another, or both are about the only one. */
    boolean isAboutSameLimitAs(RuleChange other) {
        return named == null || other.named == null
                ? named == null && other.named == null
                : RuleName.canonical(named).equals(RuleName.canonical(other.named));
    }

    /** The same, completed by a weaker one of the same limit. */
    RuleChange over(RuleChange weaker) {
        return new RuleChange(
                named,
                limit == null ? weaker.limit : limit,
                window == null ? weaker.window : window,
                burst == null ? weaker.burst : burst,
                mode == null ? weaker.mode : mode,
                enforce == null ? weaker.enforce : enforce);
    }

    /**
     * The settings of the rule with this change.
     *
     * @throws LimiterConfigurationException if the rule has no such limit
     */
    RuleDefinition applyTo(RuleDefinition rule) {
        LimitDefinition change = LimitDefinition.of(ORIGIN, limit, window, null, burst, null);
        Settings settings = Settings.NONE
                .with(RuleOptions.MODE, mode, ORIGIN)
                .with(RuleOptions.ENFORCE, enforce, ORIGIN)
                .over(rule.settings());
        Map<String, LimitDefinition> limits = rule.limits();
        if (change.isEmpty()) {
            return with(rule, rule.limit(), limits, settings);
        }
        if (limits == null && named == null) {
            return with(rule, change.over(rule.limit()), null, settings);
        }
        if (limits == null || named == null) {
            throw problem(
                    limits == null
                            ? "The rule has only one limit, without a name."
                            : "The rule has several limits. Say which one: " + String.join(", ", limits.keySet())
                                    + ".");
        }
        Map<String, LimitDefinition> changed = new LinkedHashMap<>(limits);
        String known = limits.keySet().stream()
                .filter(name -> RuleName.canonical(name).equals(RuleName.canonical(named)))
                .findFirst()
                .orElseThrow(
                        () -> problem("The rule has no such limit, but " + String.join(", ", limits.keySet()) + "."));
        changed.compute(known, (name, weaker) -> change.over(Objects.requireNonNull(weaker)));
        return with(rule, rule.limit(), changed, settings);
    }

    private LimiterConfigurationException problem(String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.CHANGE, "named", named, reason));
    }

    private static RuleDefinition with(
            RuleDefinition rule,
            LimitDefinition limit,
            @Nullable Map<String, LimitDefinition> limits,
            Settings settings) {
        return new RuleDefinition(rule.name(), rule.origin(), limit, limits, rule.tiers(), rule.ban(), settings);
    }
}
