package dev.limiter.spring.config;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Reads {@code tiers} of a rule, where what tells the tiers apart stands beside them under the name {@code by}. */
final class TierSettingsReader {

    private static final String BY = "by";
    private static final String UNLIMITED = "unlimited";

    private TierSettingsReader() {}

    /**
     * @param problems gets a name that is none or is there twice, and a tier that is none
     */
    static @Nullable TiersDefinition read(
            RuleOrigin rule,
            @Nullable Map<String, LimiterProperties.Tier> properties,
            Environment environment,
            Problems problems) {
        if (properties == null) {
            return null;
        }
        String where = rule.of("tiers");
        Map<String, TiersDefinition.Tier> tiers = new LinkedHashMap<>();
        Setting<String> by = null;
        for (Map.Entry<String, LimiterProperties.Tier> entry :
                RelaxedNameMerger.of(where, properties, environment, problems).entrySet()) {
            String name = entry.getKey();
            RuleOrigin origin = RuleOrigin.property(where + "." + name);
            LimiterProperties.Tier tier = entry.getValue();
            if (!RuleName.canonical(name).equals(BY)) {
                tiers.put(name, tier(origin, tier, environment, problems));
            } else if (tier.by() == null) {
                problems.add(
                        MessageCode.TIERS,
                        origin.toString(),
                        null,
                        "This must say who is in which tier, such as \"header:X-Plan\"; no tier can have this name.");
            } else {
                by = new Setting<>(tier.by(), origin.toString());
            }
        }
        return new TiersDefinition(where, by, tiers);
    }

    /** Reads {@code candidate} of a rule; null if it has none. */
    static TiersDefinition.@Nullable Tier candidate(
            RuleOrigin rule, LimiterProperties.@Nullable Tier candidate, Environment environment, Problems problems) {
        return candidate == null
                ? null
                : tier(RuleOrigin.property(rule.of("candidate")), candidate, environment, problems);
    }

    private static TiersDefinition.Tier tier(
            RuleOrigin origin, LimiterProperties.Tier tier, Environment environment, Problems problems) {
        boolean unlimited = tier.by() != null && tier.by().strip().equalsIgnoreCase(UNLIMITED);
        if (!unlimited && tier.by() != null && !tier.by().isBlank()) {
            problems.add(
                    MessageCode.TIERS,
                    origin.toString(),
                    tier.by(),
                    "A tier has settings of its own, such as { limit: 1000 }, or is unlimited; by stands beside the"
                            + " tiers.");
        }
        return new TiersDefinition.Tier(
                ConfiguredRules.tierLimit(origin, tier),
                tier.limits() == null
                        ? null
                        : ConfiguredRules.namedLimits(origin, tier.limits(), environment, problems),
                unlimited);
    }
}
