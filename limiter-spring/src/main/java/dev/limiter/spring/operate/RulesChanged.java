package dev.limiter.spring.operate;

import java.util.Set;

/**
 * An application event: the rules of this instance have changed, by any means.
 *
 * @param version the new version of the rules, 0 or more
 * @param rules the canonical names of all rules with a change
 */
public record RulesChanged(long version, Set<String> rules) {}
