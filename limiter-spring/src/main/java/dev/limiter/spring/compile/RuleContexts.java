package dev.limiter.spring.compile;

import dev.limiter.spring.context.RateLimitContext;

/**
 * Provides the context of a request or call for each rule. Before routing, each rule names the resource by its own
 * path.
 */
@FunctionalInterface
public interface RuleContexts {

    /** Returns the context in which a rule decides. */
    RateLimitContext of(RateLimitRule rule);

    /** Returns the display name of the resource. */
    default String resource(RateLimitRule rule) {
        return of(rule).resource();
    }
}
