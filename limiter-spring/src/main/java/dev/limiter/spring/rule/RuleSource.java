package dev.limiter.spring.rule;

import java.util.Collection;

/** Where rules come from. A bean of this type joins the rules of {@code application.yml}. */
@FunctionalInterface
public interface RuleSource {

    /** The rules as they are now. */
    Collection<RuleDefinition> rules();
}
