package dev.limiter.spring.operate;

import java.util.Set;

/**
 * An event of the application: rules are different from now on in this instance, whoever has changed them.
 *
 * @param version of the rules now
 * @param rules the canonical names of all in which something is not as configured
 */
public record RulesChanged(long version, Set<String> rules) {}
