package dev.limiter.spring.aop;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.PropertyResolver;

/**
 * Converts an annotation to the definition of a rule. Settings of the configuration under its name override its
 * attributes.
 */
final class AnnotationDefinitions {

    private static final long DEFAULT_LIMIT = 100;
    private static final String DEFAULT_WINDOW = "1m";

    private final PropertyResolver placeholders;

    AnnotationDefinitions(PropertyResolver placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * Returns the rule name of an annotation. Each annotation of a method has its own rule and buckets.
     *
     * @throws LimiterConfigurationException if the name of the annotation is blank
     */
    String name(RateLimiter annotation, String method, int position, RuleOrigin origin) {
        String name = text(annotation.name(), "name", origin);
        if (name == null) {
            return position == 0 ? method : method + "-" + (position + 1);
        }
        if (name.isBlank()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.UNREADABLE_VALUE,
                    origin.of("name"),
                    annotation.name(),
                    "The name is empty, or a placeholder resolved to nothing. Set a name, or remove the attribute."));
        }
        return name;
    }

    /**
     * Returns the definition of a rule.
     *
     * @param name the result of {@link #name}
     * @param status the default status of rejections; null for the one of all rules
     * @throws LimiterConfigurationException if the annotation names an unknown rule and has no limit, or has the name
     *     of the automatic limit
     */
    RuleDefinition definition(
            RateLimiter annotation, String name, RuleOrigin origin, RuleSet configured, @Nullable Integer status) {
        // The name of an unnamed annotation contains a dot, so only a change while the application runs can have it.
        Optional<RuleDefinition> configuration = configured.definition(name);
        boolean named = !annotation.name().isEmpty();
        if (configured.defaultLimit().isPresent() && RuleName.canonical(name).equals(RuleName.DEFAULT)) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.SAME_NAME,
                    origin.of("name"),
                    name,
                    "This is the name of limiter.web.default-limit. Choose another name."));
        }
        if (named && configuration.isEmpty() && annotation.limit() == RateLimiter.UNSET) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.UNKNOWN_RULE,
                    origin.of("name"),
                    name,
                    "No rule has this name. Add limiter.rules." + name
                            + " to the configuration, or a limit to the annotation."
                            + DidYouMean.ask(
                                    name,
                                    configured.definitions().stream()
                                            .map(RuleDefinition::name)
                                            .toList())));
        }
        RuleDefinition own = own(annotation, name, origin, status);
        return configuration.map(stronger -> over(stronger, own)).orElse(own);
    }

    private static RuleDefinition over(RuleDefinition stronger, RuleDefinition own) {
        RuleDefinition merged = stronger.over(own);
        return stronger.origin() instanceof ChangeOrigin ? merged.at(own.origin()) : merged;
    }

    private RuleDefinition own(RateLimiter annotation, String name, RuleOrigin origin, @Nullable Integer status) {
        boolean hasWindow = LimitOptions.WINDOW.algorithms().contains(annotation.algorithm());
        Settings usual = Settings.NONE
                .with(LimitOptions.LIMIT, DEFAULT_LIMIT, origin)
                .with(LimitOptions.WINDOW, hasWindow ? DEFAULT_WINDOW : null, origin)
                .with(LimitOptions.ALGORITHM, annotation.algorithm(), origin);
        Settings limit = settings(annotation, LimitOptions.OF_RULE, origin).over(usual);
        return RuleDefinition.builder(name, origin)
                .limit(new LimitDefinition(origin.toString(), limit))
                .status(status)
                .settings(settings(annotation, RuleOptions.ALL, origin))
                .build();
    }

    /** Returns the options that differ from the default of their attribute. */
    private Settings settings(RateLimiter annotation, List<Option<?>> options, RuleOrigin origin) {
        Map<String, Object> attributes = AnnotationUtils.getAnnotationAttributes(annotation);
        Settings settings = Settings.NONE;
        for (Option<?> option : options) {
            Object value = attributes.get(option.attribute());
            boolean isDefault =
                    value == null || value.equals(AnnotationUtils.getDefaultValue(annotation, option.attribute()));
            Object resolved = value instanceof String text ? text(text, option.name(), origin) : value;
            if (!isDefault && resolved != null) {
                settings = with(settings, option, option.isList() ? List.of(resolved) : resolved, origin);
            }
        }
        return settings;
    }

    @SuppressWarnings("unchecked") // the attribute has the type of the option
    private static <T> Settings with(Settings settings, Option<T> option, Object value, RuleOrigin origin) {
        return settings.with(option, (T) value, origin);
    }

    /** Returns the text with its placeholders resolved; null if it is empty. */
    @Nullable
    String text(String raw, String attribute, RuleOrigin origin) {
        if (raw.isEmpty()) {
            return null;
        }
        try {
            return placeholders.resolveRequiredPlaceholders(raw);
        } catch (IllegalArgumentException unresolved) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.PLACEHOLDER, origin.of(attribute), raw, String.valueOf(unresolved.getMessage())));
        }
    }
}
