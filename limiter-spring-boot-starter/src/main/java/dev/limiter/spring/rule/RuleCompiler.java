package dev.limiter.spring.rule;

import java.lang.reflect.Method;

/** Turns raw settings into rules. Thread-safe. */
public final class RuleCompiler {

    /**
     * A rule that applies by its paths, or that several methods refer to.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition) {
        throw new UnsupportedOperationException("Not yet: " + definition);
    }

    /**
     * The rule of an annotated method: unless the settings say {@code scope: rule}, its buckets are the method's own.
     *
     * @param resource the full signature, which tells its buckets from those of other methods
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition, Method method, String resource) {
        throw new UnsupportedOperationException("Not yet: " + definition + method + resource);
    }
}
