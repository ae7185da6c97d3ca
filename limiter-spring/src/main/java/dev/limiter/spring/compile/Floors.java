package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.compiled.EnforcedShare;
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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** Checks the options that would leave requests of a key unlimited; {@code share}: of the keys that are limited. */
    void check(RuleDefinition definition, EnforcedShare share, Problems problems) {
        Floor floor = byRule.get(RuleName.canonical(definition.name()));
        if (floor == null) {
            return;
        }
        List<Setting<?>> weaker = new ArrayList<>();
        EXEMPTING.forEach(option -> weaker.add(definition.get(option)));
        weaker.add(definition.value(RuleOptions.MODE) == Mode.ENFORCE ? null : definition.get(RuleOptions.MODE));
        weaker.add(share.isPartial() ? definition.get(RuleOptions.ENFORCE) : null);
        weaker.stream()
                .filter(Objects::nonNull)
                .forEach(setting -> add(floor, setting.where(), setting.value(), problems));
        definition.value(LimitsDefinition.TIERS, Map.of()).forEach((name, tier) -> {
            if (tier.unlimited()) {
                add(floor, tier.limit().where(), "unlimited", problems);
            }
        });
    }

    /** Checks the limits of a rule; {@code where}: they are written, or what they are. */
    void check(String rule, List<Limit> limits, String where, Problems problems) {
        Floor floor = byRule.get(RuleName.canonical(rule));
        if (floor != null && !limits.isEmpty() && limits.stream().noneMatch(floor::holds)) {
            add(floor, where, null, problems);
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
