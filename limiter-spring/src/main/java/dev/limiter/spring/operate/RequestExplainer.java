package dev.limiter.spring.operate;

/** Evaluates the rules for a request that was not sent. */
@FunctionalInterface
public interface RequestExplainer {

    /**
     * Routes the request and evaluates all rules for it, but charges nothing. Blocks for as long as a decision may for
     * each rule.
     *
     * @throws IllegalArgumentException if the request cannot be routed
     */
    Explanation explain(RequestDescription request);
}
