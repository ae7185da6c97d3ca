package dev.limiter.spring.rule;

import dev.limiter.Limit;
import java.util.List;

/** The options of a ban. All are required. */
public final class BanOptions {

    public static final Option<Long> AFTER = Option.number("Number of rejections after which the rule bans a key")
            .range(1, Limit.MAX_PERMITS)
            .suggestions(20L)
            .named("ban.after");

    public static final Option<String> WITHIN = Option.duration(
                    "Time within which these rejections must occur, such as 1m")
            .upTo(Limit.MAX_WINDOW)
            .suggest("1m", "One minute.")
            .named("ban.within");

    public static final Option<String> FOR = Option.duration("Duration of the ban, such as 15m")
            .upTo(Limit.MAX_WINDOW)
            .suggest("15m", "A quarter of an hour.")
            .named("ban.for");

    public static final List<Option<?>> ALL = List.of(AFTER, WITHIN, FOR);

    private BanOptions() {}
}
