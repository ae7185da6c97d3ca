package dev.limiter.spring.aop;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.Answer;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOrigin;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.PropertyResolver;

/** Turns an annotation into the settings of a rule: what the configuration says about its name, over its own. */
final class AnnotationDefinitions {

    private static final long DEFAULT_LIMIT = 100;
    private static final String DEFAULT_WINDOW = "1m";

    private final PropertyResolver placeholders;

    AnnotationDefinitions(PropertyResolver placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * @param defaultName the name of the rule where the annotation has none
     * @param otherwise whose limit it is if nothing is said
     * @throws LimiterConfigurationException if the annotation has a name without a rule and without a limit
     */
    RuleDefinition definition(
            RateLimiter annotation, String defaultName, RuleOrigin origin, RuleSet configured, Answer otherwise) {
        String name = text(annotation.name(), "name", origin);
        Optional<RuleDefinition> configuration = name == null ? Optional.empty() : configured.definition(name);
        if (name != null && configuration.isEmpty() && annotation.limit() == RateLimiter.UNSET) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.UNKNOWN_RULE,
                    origin.of("name"),
                    name,
                    "There is no rule of this name. Add limiter.rules." + name
                            + " to the configuration, or a limit to the annotation."
                            + DidYouMean.ask(
                                    name,
                                    configured.definitions().stream()
                                            .map(RuleDefinition::name)
                                            .toList())));
        }
        RuleDefinition own = own(annotation, name == null ? defaultName : name, origin, otherwise);
        return configuration.map(stronger -> stronger.over(own)).orElse(own);
    }

    private RuleDefinition own(RateLimiter annotation, String name, RuleOrigin origin, Answer otherwise) {
        String window = text(annotation.window(), "window", origin);
        String key = text(annotation.key(), "key", origin);
        return RuleDefinition.builder(name, origin)
                .limit(
                        annotation.limit() == RateLimiter.UNSET ? DEFAULT_LIMIT : annotation.limit(),
                        window == null && annotation.algorithm() != Algorithm.CONCURRENCY ? DEFAULT_WINDOW : window,
                        annotation.algorithm(),
                        annotation.burst() == RateLimiter.UNSET ? null : annotation.burst(),
                        annotation.buckets() == Integer.MIN_VALUE ? null : annotation.buckets())
                .warmUp(text(annotation.warmUp(), "warmUp", origin))
                .waiting(
                        text(annotation.maxWait(), "maxWait", origin),
                        annotation.maxWaiting() == Integer.MIN_VALUE ? null : annotation.maxWaiting(),
                        text(annotation.priority(), "priority", origin),
                        text(annotation.reserve(), "reserve", origin))
                .key(key == null ? null : List.of(key))
                .cost(text(annotation.cost(), "cost", origin))
                .condition(text(annotation.condition(), "condition", origin))
                .answer(annotation.answer() == Answer.DEFAULT ? otherwise : annotation.answer())
                .chargeIf(text(annotation.chargeIf(), "charge-if", origin))
                .build();
    }

    /** The text with its placeholders resolved; null if nothing was said. */
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
