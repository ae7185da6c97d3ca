package dev.limiter.spring.rule;

import java.util.Collection;

/**
 * Provides rules. A bean of this type adds rules to the ones of {@code application.yml}, which come first. It is called
 * on startup, after each change of the configuration, and by {@link dev.limiter.spring.RateLimitTemplate#reload()}.
 * Implementations must be thread-safe and may block.
 */
@FunctionalInterface
public interface RuleSource {

    /**
     * Returns the current rules, created with {@link RuleDefinition#named}. An invalid rule fails at startup; later,
     * all rules stay unchanged.
     */
    Collection<RuleDefinition> rules();
}
