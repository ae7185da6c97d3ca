package dev.limiter.spring.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The raw settings of the tiers of a rule. Immutable; nothing is checked before the rule is compiled.
 *
 * @param where the property that holds them
 * @param by what gives the name of the tier that a request belongs to; null if it was not said
 * @param tiers name to tier
 */
public record TiersDefinition(String where, @Nullable Setting<String> by, Map<String, Tier> tiers) {

    /** The limits that are tried beside those of a rule. */
    public static final Option<Tier> CANDIDATE = Option.of("candidate");

    public TiersDefinition {
        tiers = Collections.unmodifiableMap(new LinkedHashMap<>(tiers));
    }

    /**
     * The settings of one tier that differ from the rule.
     *
     * @param limit for a rule with only one limit
     * @param limits by name, for a rule with named limits
     * @param unlimited whether the rule does not apply to the tier at all
     */
    public record Tier(LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits, boolean unlimited) {

        /** A tier with limits. */
        public Tier(LimitDefinition limit, @Nullable Map<String, LimitDefinition> limits) {
            this(limit, limits, false);
        }

        /** The costs in its limits: none is of use, since a request costs the same in all of them. */
        public Stream<Setting<String>> costs() {
            return Stream.concat(Stream.of(limit), limits == null ? Stream.of() : limits.values().stream())
                    .flatMap(said -> Stream.ofNullable(said.get(LimitOptions.COST)));
        }
    }

    /** The settings of the tiers for a rule's only limit. */
    public Stream<LimitDefinition> inline() {
        return tiers.values().stream().map(Tier::limit);
    }
}
