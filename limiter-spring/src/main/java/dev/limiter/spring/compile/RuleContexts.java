package dev.limiter.spring.compile;

import dev.limiter.spring.context.RateLimitContext;

/** A request or call as each rule sees it: before a request is routed, each names the resource by a path of its own. */
@FunctionalInterface
public interface RuleContexts {

    /** The subject of the decision of one rule. */
    RateLimitContext of(RateLimitRule rule);

    /** The name of the resource for people. */
    default String resource(RateLimitRule rule) {
        return of(rule).resource();
    }
}
