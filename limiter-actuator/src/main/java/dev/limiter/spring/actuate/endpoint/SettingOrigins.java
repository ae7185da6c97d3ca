package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes the source of each setting of a rule: a change, a property, a bean or an annotation. Expressions and
 * addresses are shown without their values. Thread-safe.
 */
final class SettingOrigins {

    /** The options that are shown with their values. */
    private static final Set<Option<?>> SHOWN = Stream.concat(
                    LimitOptions.OF_RULE.stream(),
                    Stream.of(
                            RuleOptions.MODE,
                            RuleOptions.ROLLOUT,
                            RuleOptions.PATHS,
                            RuleOptions.METHODS,
                            RuleOptions.ROUTES,
                            RuleOptions.SCOPE,
                            RuleOptions.PHASE,
                            RuleOptions.KEY,
                            BanOptions.AFTER,
                            BanOptions.WITHIN,
                            BanOptions.FOR))
            .collect(Collectors.toUnmodifiableSet());

    private static final int MAX_LENGTH = 256;

    private final RuleOrigin origin;

    private SettingOrigins(RuleOrigin origin) {
        this.origin = origin;
    }

    /** Returns the sources by setting name, as in the configuration. Defaults are left out. */
    static Map<String, Object> of(RateLimitRule rule) {
        return new SettingOrigins(rule.definition().origin()).of(rule, rule.definition());
    }

    private Map<String, Object> of(RateLimitRule rule, RuleDefinition definition) {
        Map<String, Object> sources = new LinkedHashMap<>();
        definition.limitsByName().forEach((name, limit) -> put(sources, parent("limits", name), limit));
        put(sources, "", definition.settings(), RuleOptions.ALL);
        if (rule.mode() != definition.value(RuleOptions.MODE, Mode.ENFORCE)) {
            Setting<Mode> ofAll = definition.get(ChangeOrigin.MODE_OF_ALL);
            put(sources, "mode", ofAll == null ? new Setting<>(rule.mode(), "limiter.mode") : ofAll, true);
        }
        definition.value(LimitsDefinition.TIERS, Map.of()).forEach((name, tier) -> put(sources, "tiers." + name, tier));
        put(sources, "", definition.settings(), BanOptions.ALL);
        return sources;
    }

    private static String parent(String parent, String name) {
        return name.isEmpty() ? "" : parent + "." + name + ".";
    }

    private void put(Map<String, Object> sources, String name, LimitsDefinition tier) {
        put(sources, name + ".", tier.limit());
        if (tier.limits() != null) {
            tier.limits().forEach((limit, settings) -> put(sources, name + ".limits." + limit + ".", settings));
        }
    }

    private void put(Map<String, Object> sources, String prefix, LimitDefinition limit) {
        put(sources, prefix, limit.settings(), LimitOptions.OF_NAMED);
    }

    private void put(Map<String, Object> sources, String prefix, Settings settings, List<Option<?>> options) {
        for (Option<?> option : options) {
            put(sources, prefix + option.name(), settings.get(option), SHOWN.contains(option));
        }
    }

    private void put(Map<String, Object> sources, String name, @Nullable Setting<?> setting, boolean shown) {
        if (setting != null) {
            Map<String, Object> source = new LinkedHashMap<>();
            if (shown) {
                source.put("value", text(setting.value()));
            }
            String file = origin.file(setting.where());
            source.put("from", setting.where() + (file == null ? "" : " (" + file + ")"));
            sources.put(name, source);
        }
    }

    private static String text(Object value) {
        String text = value instanceof Enum<?> constant ? EnumText.of(constant) : value.toString();
        return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text;
    }
}
