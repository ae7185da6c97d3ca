package dev.limiter.spring.rule;

import java.util.Collection;

/**
 * A source of rules. A bean of this type adds to the rules of {@code application.yml}, which come first; it is asked
 * at the start and after each change of the configuration. May block; must be thread-safe.
 */
@FunctionalInterface
public interface RuleSource {

    /** The current rules; a rule that cannot work stops the start, and later changes nothing. */
    Collection<RuleDefinition> rules();
}
