package dev.limiter.spring.operate;

/** Finds the rules for a hypothetical request. */
@FunctionalInterface
public interface RequestExplainer {

    /**
     * The predicted decisions of the rules for the request. Charges nothing, but evaluates expressions, resolvers and
     * sources of limits as a request does; with storage: redis, blocks as long as a decision may for each rule.
     *
     * @throws IllegalArgumentException if no such request can be
     */
    Explanation explain(HypotheticalRequest request);
}
