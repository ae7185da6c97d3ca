package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import java.util.List;

/** The options of one limit. */
public final class LimitOptions {

    public static final Option<Long> LIMIT = Option.<Long>of("limit").upTo(Limit.MAX_PERMITS);
    public static final Option<String> WINDOW = Option.<String>of("window")
            .onlyFor(
                    Algorithm.TOKEN_BUCKET,
                    Algorithm.LEAKY_BUCKET,
                    Algorithm.FIXED_WINDOW,
                    Algorithm.SLIDING_WINDOW_COUNTER,
                    Algorithm.SLIDING_WINDOW_LOG);
    public static final Option<Algorithm> ALGORITHM = Option.of("algorithm");
    public static final Option<Long> BURST = Option.<Long>of("burst")
            .onlyFor(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET)
            .upTo(Limit.MAX_PERMITS);
    public static final Option<Integer> BUCKETS = Option.<Integer>of("buckets")
            .onlyFor(Algorithm.SLIDING_WINDOW_COUNTER)
            .upTo(1000);
    public static final Option<Align> ALIGN = Option.<Align>of("align").onlyFor(Algorithm.FIXED_WINDOW);

    /** For windows of the calendar. */
    public static final Option<String> ZONE = Option.<String>of("zone").onlyFor(Algorithm.FIXED_WINDOW);

    /** A leaky bucket takes it with {@link RuleOptions#MAX_WAIT} alone. */
    public static final Option<String> WARM_UP =
            Option.<String>of("warm-up").onlyFor(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET);

    /** A number or an expression; that of the rule if it is not said. */
    public static final Option<String> COST = Option.of("cost");

    /** Those of one of several limits. */
    public static final List<Option<?>> OF_NAMED =
            List.of(LIMIT, WINDOW, ALGORITHM, BURST, BUCKETS, ALIGN, ZONE, WARM_UP, COST);

    /** Those of the only limit of a rule, which costs what the rule says. */
    public static final List<Option<?>> OF_RULE =
            OF_NAMED.stream().filter(option -> option != COST).toList();

    private LimitOptions() {}
}
