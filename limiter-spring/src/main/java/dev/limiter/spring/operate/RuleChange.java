package dev.limiter.spring.operate;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a rule that are to be different; a null leaves one as it is. Immutable.
 *
 * @param named the name of the limit, of a rule with several; null for the only one
 * @param limit permits per window, 1 to 10^15
 * @param window as in properties, such as {@code 10s} or {@code PT10S}
 * @param burst for buckets, 1 to 10^15
 * @param enforce the share of the keys that are refused, such as {@code 10%}
 * @param signature null before it is made
 */
public record RuleChange(
        @Nullable String named,
        @Nullable Long limit,
        @Nullable String window,
        @Nullable Long burst,
        @Nullable Mode mode,
        @Nullable String enforce,
        @Nullable Signature signature) {

    private static final RuleOrigin UNSIGNED = RuleOrigin.source("a change at the endpoint");

    /**
     * The author of a change.
     *
     * @param version of the rules with it
     * @param by a name without control characters
     * @param reason likewise; null if there is none
     */
    public record Signature(
            long version, Instant at, String by, @Nullable String reason) {

        /** The signature of a change still to be made. */
        public Signature(Instant at, String by, @Nullable String reason) {
            this(0, at, by, reason);
        }

        @Override
        public String toString() {
            return "change " + version + " by " + by + " at " + at
                    + (reason == null ? "" : ", because \"" + reason + "\"");
        }
    }

    /** A change without a signature. */
    public RuleChange(
            @Nullable String named,
            @Nullable Long limit,
            @Nullable String window,
            @Nullable Long burst,
            @Nullable Mode mode,
            @Nullable String enforce) {
        this(named, limit, window, burst, mode, enforce, null);
    }

    /** This change, signed. */
    public RuleChange signed(Signature signature) {
        return new RuleChange(named, limit, window, burst, mode, enforce, signature);
    }

    /** This change as the one that leads to a version. */
    RuleChange leadingTo(long version) {
        return signature == null ? this : signed(new Signature(version, signature.at, signature.by, signature.reason));
    }

    /** Whether nothing is to be different. */
    public boolean isEmpty() {
        return limit == null && window == null && burst == null && mode == null && enforce == null;
    }

    /** @throws LimiterConfigurationException if nothing is to be different in the rule of that name */
    void check(String rule) {
        if (isEmpty()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.CHANGE,
                    rule,
                    null,
                    "There is nothing to change: say limit, window, burst, mode or enforce."));
        }
    }

    /** Where its settings are said. */
    RuleOrigin origin() {
        return signature == null ? UNSIGNED : RuleOrigin.source(signature.toString());
    }

    private boolean isAboutSameLimitAs(RuleChange other) {
        return canonicalLimit().equals(other.canonicalLimit());
    }

    private String canonicalLimit() {
        return named == null ? "" : RuleName.canonical(named);
    }

    /** The rest of this change beside a later one. */
    RuleChange before(RuleChange later) {
        boolean same = isAboutSameLimitAs(later);
        return new RuleChange(
                named,
                same && later.limit != null ? null : limit,
                same && later.window != null ? null : window,
                same && later.burst != null ? null : burst,
                later.mode != null ? null : mode,
                later.enforce != null ? null : enforce,
                signature);
    }

    /** The changed settings, without the author. */
    List<List<Object>> settings() {
        List<List<Object>> settings = new ArrayList<>();
        add(settings, "limit", canonicalLimit(), limit);
        add(settings, "window", canonicalLimit(), window);
        add(settings, "burst", canonicalLimit(), burst);
        add(settings, "mode", "", mode);
        add(settings, "enforce", "", enforce);
        return settings;
    }

    private static void add(List<List<Object>> settings, String name, String named, @Nullable Object value) {
        if (value != null) {
            settings.add(List.of(name, named, value));
        }
    }

    /**
     * The settings of the rule with this change.
     *
     * @throws LimiterConfigurationException if the rule has no such limit
     */
    RuleDefinition applyTo(RuleDefinition rule) {
        RuleOrigin origin = origin();
        RuleDefinition changed = rule.with(Settings.NONE
                .with(RuleOptions.MODE, mode, origin)
                .with(RuleOptions.ENFORCE, enforce, origin)
                .over(rule.settings()));
        LimitDefinition change = LimitDefinition.of(origin, limit, window, null, burst, null);
        if (change.isEmpty()) {
            return changed;
        }
        String known = rule.limitName(named == null ? "" : named, "named", MessageCode.CHANGE);
        LimitDefinition none = LimitDefinition.of(origin, null, null, null, null, null);
        return new LimitsDefinition(none, Map.of(known, change)).over(changed, MessageCode.CHANGE);
    }
}
