package dev.limiter.spring.rule;

import java.util.Collection;

/**
 * A source of rules. A bean of this type adds to the rules of {@code application.yml}, which come first. It is called on
 * startup, after each change of the configuration, and by {@link dev.limiter.spring.RateLimitTemplate#reload()}. May
 * block; thread-safe.
 */
@FunctionalInterface
public interface RuleSource {

    /**
     * Returns the current rules, made by {@link RuleDefinition#named}. If one of them cannot work, the application fails
     * at startup; later, all rules stay as they are.
     */
    Collection<RuleDefinition> rules();
}
