package dev.limiter.spring.operate;

/** Explains how rules would decide a hypothetical request. */
@FunctionalInterface
public interface RequestExplainer {

    /**
     * Routes the request and evaluates all rules for it, without charging it. For each rule, it blocks as long as a
     * decision may.
     *
     * @throws IllegalArgumentException if the request cannot be routed
     */
    Explanation explain(RequestDescription request);
}
