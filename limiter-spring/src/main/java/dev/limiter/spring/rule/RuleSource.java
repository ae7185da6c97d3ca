package dev.limiter.spring.rule;

import java.util.Collection;

/**
 * Where rules come from. A bean of this type joins the rules of {@code application.yml}, and is asked at the start and
 * each time that the configuration has changed.
 */
@FunctionalInterface
public interface RuleSource {

    /** The rules as they are now. */
    Collection<RuleDefinition> rules();
}
