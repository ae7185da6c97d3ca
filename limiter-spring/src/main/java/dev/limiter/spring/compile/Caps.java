package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The most that rules may allow, wherever they are defined or changed. At least one limit of a rule must stay within
 * its cap, both at once and in the long run. Immutable.
 */
public final class Caps {

    public static final Caps NONE = new Caps(Map.of());

    /** Options that leave some requests of a key unlimited. */
    private static final List<Option<?>> EXEMPTING =
            List.of(RuleOptions.CONDITION, RuleOptions.ALLOW, RuleOptions.CHARGE_IF);

    private final Map<String, Cap> byRule = new LinkedHashMap<>();

    /**
     * The most that a rule may permit.
     *
     * @param where the property that holds it
     * @param limit permits per window, and at once
     */
    public record Cap(String where, long limit, Duration window) {

        boolean holds(Limit limit) {
            return !(limit instanceof Limit.Concurrency)
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
            return limit + " in " + window.toString().replaceFirst("^PT", "").toLowerCase(Locale.ROOT) + " (" + where
                    + ")";
        }
    }

    /** {@code byRule}: caps by rule name; {@code default} is the automatic limit. */
    public Caps(Map<String, Cap> byRule) {
        byRule.forEach((rule, cap) -> this.byRule.put(RuleName.canonical(rule), cap));
    }

    /** Returns the cap of a rule, by any spelling of its name. */
    public Optional<Cap> of(String rule) {
        return Optional.ofNullable(byRule.get(RuleName.canonical(rule)));
    }

    /**
     * Checks the options that leave requests of a key unlimited; {@code share}: of the keys for which the rule is
     * enforced.
     */
    void check(RuleDefinition definition, Rollout share, Problems problems) {
        Cap cap = byRule.get(RuleName.canonical(definition.name()));
        if (cap == null) {
            return;
        }
        List<Setting<?>> weaker = new ArrayList<>();
        EXEMPTING.forEach(option -> weaker.add(definition.get(option)));
        weaker.add(definition.value(RuleOptions.MODE) == Mode.ENFORCE ? null : definition.get(RuleOptions.MODE));
        weaker.add(share.isPartial() ? definition.get(RuleOptions.ROLLOUT) : null);
        weaker.stream()
                .filter(Objects::nonNull)
                .forEach(setting -> addExempting(cap, setting.where(), setting.value(), problems));
        definition.value(LimitsDefinition.TIERS, Map.of()).forEach((name, tier) -> {
            if (tier.unlimited()) {
                addExempting(cap, tier.limit().where() + ".unlimited", true, problems);
            }
        });
    }

    /** Checks the limits of a rule; {@code where}: the property, or a description of the limits. */
    void check(String rule, List<Limit> limits, String where, Problems problems) {
        Cap cap = byRule.get(RuleName.canonical(rule));
        if (cap != null && !limits.isEmpty() && limits.stream().noneMatch(cap::holds)) {
            problems.add(
                    MessageCode.CAP,
                    where,
                    null,
                    "It permits more than its cap: each key may have at most " + cap.text()
                            + ", at once and in the long run. Lower limit or burst, or raise the cap.");
        }
    }

    private static void addExempting(Cap cap, String where, Object value, Problems problems) {
        problems.add(
                MessageCode.CAP,
                where,
                value,
                "It leaves requests unlimited, but the rule has a cap: each key may have at most " + cap.text() + "."
                        + " Remove this setting, or the cap.");
    }
}
