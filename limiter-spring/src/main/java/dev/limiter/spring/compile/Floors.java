package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.EnforcedShare;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition.Tier;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The strictness that rules must have at least, wherever they are written or changed: for each, one of its limits
 * permits no more than the floor, neither at once nor in the long run. Immutable.
 */
public final class Floors {

    /** No rule has to be strict. */
    public static final Floors NONE = new Floors(Map.of());

    /** The options that exempt requests of a key. */
    private static final List<Option<?>> EXEMPTING =
            List.of(RuleOptions.SKIP_IF, RuleOptions.ALLOW, RuleOptions.CHARGE_IF);

    private final Map<String, Floor> byRule = new LinkedHashMap<>();

    /**
     * The most that a rule may permit.
     *
     * @param where the property that holds it
     * @param limit permits per window, and at once
     */
    public record Floor(String where, long limit, Duration window) {

        boolean holds(List<Limit> limits) {
            return limits.stream().anyMatch(this::holds);
        }

        boolean holds(Limit limit) {
            return !limit.isHeld()
                    && limit.capacity() <= this.limit
                    && permits(limit.limit(), window).compareTo(permits(this.limit, limit.window())) <= 0;
        }

        private static BigInteger permits(long limit, Duration window) {
            return BigInteger.valueOf(limit).multiply(nanos(window));
        }

        private static BigInteger nanos(Duration duration) {
            return BigInteger.valueOf(duration.getSeconds())
                    .multiply(BigInteger.valueOf(1_000_000_000))
                    .add(BigInteger.valueOf(duration.getNano()));
        }

        private String text() {
            return limit + " in " + window + " (" + where + ")";
        }
    }

    /** {@code byRule}: by the names of rules, {@code default} for the automatic limit. */
    public Floors(Map<String, Floor> byRule) {
        byRule.forEach((rule, floor) -> this.byRule.put(RuleName.canonical(rule), floor));
    }

    /** The floors by the canonical names of rules. */
    public Map<String, Floor> byRule() {
        return Collections.unmodifiableMap(byRule);
    }

    /** The floor of a rule, by any spelling of its name. */
    public Optional<Floor> of(String rule) {
        return Optional.ofNullable(byRule.get(RuleName.canonical(rule)));
    }

    private @Nullable Floor of(RuleDefinition definition) {
        return byRule.get(RuleName.canonical(definition.name()));
    }

    void check(
            RuleDefinition definition,
            List<Limit> limits,
            @Nullable Tiers tiers,
            Collection<Rule> overrides,
            EnforcedShare share,
            Problems problems) {
        Floor floor = of(definition);
        if (floor == null || limits.isEmpty()) {
            return;
        }
        check(definition, limits, "", problems);
        if (tiers != null) {
            tiers.rules().forEach((tier, rule) -> check(definition, rule.limits(), ".tiers." + tier, problems));
        }
        if (definition.tiers() != null) {
            definition.tiers().tiers().forEach((name, tier) -> refuseUnlimited(definition, name, tier, problems));
        }
        overrides.forEach(rule -> check(definition, rule.limits(), ": an override", problems));
        for (Option<?> option : EXEMPTING) {
            Setting<?> exempting = definition.get(option);
            if (exempting != null) {
                add(floor, exempting.where(), null, problems);
            }
        }
        Setting<Mode> mode = definition.get(RuleOptions.MODE);
        if (mode != null && mode.value() != Mode.ENFORCE) {
            add(floor, mode.where(), mode.value(), problems);
        }
        Setting<String> enforce = definition.get(RuleOptions.ENFORCE);
        if (enforce != null && share.isPartial()) {
            add(floor, enforce.where(), enforce.value(), problems);
        }
    }

    /** The limits of a rule, or of a part of it. */
    void check(RuleDefinition definition, List<Limit> limits, String part, Problems problems) {
        Floor floor = of(definition);
        if (floor != null && !floor.holds(limits)) {
            add(floor, definition.origin() + part, null, problems);
        }
    }

    private void refuseUnlimited(RuleDefinition definition, String name, Tier tier, Problems problems) {
        Floor floor = of(definition);
        if (floor != null && tier.unlimited()) {
            add(floor, definition.origin() + ".tiers." + name, "unlimited", problems);
        }
    }

    private static void add(Floor floor, String where, @Nullable Object value, Problems problems) {
        problems.add(
                MessageCode.FLOOR,
                where,
                value,
                "This is less strict than it must be: all requests of a key are to be limited to " + floor.text()
                        + " at most, at once and in the long run.");
    }
}
