package dev.limiter.spring.rule;

import dev.limiter.Algorithm;

/** An option that exists only in tests. */
public final class MadeUpOption {

    public static final Option<Integer> SPARE = Option.count("Permits beyond the limit")
            .onlyFor(Algorithm.FIXED_WINDOW)
            .range(1, 9)
            .otherwise(2)
            .suggestions(3)
            .named("spare-permits");

    private MadeUpOption() {}
}
