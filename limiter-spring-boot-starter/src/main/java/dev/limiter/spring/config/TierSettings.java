package dev.limiter.spring.config;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Reads {@code tiers} of a rule, where what tells the tiers apart stands beside them under the name {@code by}. */
final class TierSettings {

    private static final String BY = "by";
    private static final String UNLIMITED = "unlimited";

    private TierSettings() {}

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a name is none or is there twice, or a tier
     *     is none
     */
    static @Nullable TiersDefinition read(
            RuleOrigin rule, @Nullable Map<String, LimiterProperties.Tier> properties, Environment environment) {
        if (properties == null) {
            return null;
        }
        String where = rule.of("tiers");
        Problems problems = new Problems();
        Map<String, String> names = RuleNames.find(where, environment, problems);
        Map<String, TiersDefinition.Tier> tiers = new LinkedHashMap<>();
        Setting<String> by = null;
        for (Map.Entry<String, LimiterProperties.Tier> entry : properties.entrySet()) {
            String canonical = RuleName.canonical(entry.getKey());
            String name = names.getOrDefault(canonical, entry.getKey());
            RuleOrigin origin = RuleOrigin.property(where + "." + name);
            LimiterProperties.Tier tier = entry.getValue();
            if (!canonical.equals(BY)) {
                tiers.put(name, tier(origin, tier, problems));
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
        problems.throwIfAny();
        return new TiersDefinition(where, by, tiers);
    }

    private static TiersDefinition.Tier tier(RuleOrigin origin, LimiterProperties.Tier tier, Problems problems) {
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
                ConfiguredRules.tierLimit(origin, tier), limits(origin, tier.limits()), unlimited);
    }

    private static @Nullable Map<String, LimitDefinition> limits(
            RuleOrigin tier, @Nullable Map<String, LimiterProperties.NamedLimit> properties) {
        if (properties == null) {
            return null;
        }
        Map<String, LimitDefinition> limits = new LinkedHashMap<>();
        properties.forEach((name, limit) -> limits.put(
                name, ConfiguredRules.namedLimit(RuleOrigin.property(tier.of("limits") + "." + name), limit)));
        return limits;
    }
}
