package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of one limit. */
public final class LimitOptions {

    public static final Option<Long> LIMIT = Option.number("Permits per window, or in flight with concurrency")
            .range(1, Limit.MAX_PERMITS)
            .suggestions(10L, 100L, 1000L)
            .in(Limit::limit)
            .named("limit");

    public static final Option<String> WINDOW = Option.text(
                    "Window of the limit, such as 500ms, 10s, 1m, 1h, 1d or PT1H, up to 3660d; 1mo with align:"
                            + " calendar")
            .onlyFor(
                    Algorithm.TOKEN_BUCKET,
                    Algorithm.LEAKY_BUCKET,
                    Algorithm.FIXED_WINDOW,
                    Algorithm.SLIDING_WINDOW_COUNTER,
                    Algorithm.SLIDING_WINDOW_LOG)
            .suggest("1s", "One second.")
            .suggest("1m", "One minute.")
            .suggest("1h", "One hour.")
            .suggest("1d", "One day.")
            .suggest("1mo", "One month; with align: calendar.")
            .in(limit -> limit instanceof Limit.CalendarWindow calendar ? calendar.period() : length(limit.window()))
            .named("window");

    public static final Option<Algorithm> ALGORITHM = Option.oneOf(Algorithm.class, "Algorithm of the limit")
            .otherwise(Algorithm.TOKEN_BUCKET)
            .suggest("token-bucket", "Bursts up to a size, refilled continuously; the default.")
            .suggest(
                    "leaky-bucket",
                    "A bucket that leaks at a constant rate; requests that would overflow it are rejected.")
            .suggest("fixed-window", "A counter that restarts with each window.")
            .suggest("sliding-window-counter", "A sliding window of sub-windows.")
            .suggest("sliding-window-log", "Records each permit; exact over any window.")
            .suggest("concurrency", "Permits in flight; no window.")
            .in(Limit::algorithm)
            .named("algorithm");

    public static final Option<Long> BURST = Option.number("Maximum number of permits that can be taken at once")
            .onlyFor(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET)
            .range(1, Limit.MAX_PERMITS)
            .otherwiseCounts("the limit")
            .suggestions(10L, 100L)
            .in(limit -> limit.capacity() == limit.limit() ? null : limit.capacity())
            .named("burst");

    public static final Option<Integer> BUCKETS = Option.count("Number of sub-windows")
            .onlyFor(Algorithm.SLIDING_WINDOW_COUNTER)
            .range(1, 1000)
            .otherwise(10)
            .suggest(10, "The default.")
            .suggest(60, "Seconds of a minute, or minutes of an hour.")
            .in(limit -> limit instanceof Limit.SlidingWindowCounter counter ? counter.buckets() : null)
            .named("buckets");

    public static final Option<Align> ALIGN = Option.oneOf(
                    Align.class,
                    "When windows start: epoch, first (with the first request) or calendar (window 1d, 7d or 1mo)")
            .onlyFor(Algorithm.FIXED_WINDOW)
            .otherwise(Align.EPOCH)
            .suggest("epoch", "Multiples of the window since the epoch; the default.")
            .suggest("first", "The first request of each key starts its window.")
            .suggest("calendar", "Days, weeks from Monday, or months in a time zone.")
            .in(limit -> limit instanceof Limit.FixedWindow fixed && fixed.alignedToFirst() ? Align.FIRST : null)
            .named("align");

    public static final Option<String> ZONE = Option.text("Time zone of the calendar, such as Europe/Berlin")
            .onlyFor(Algorithm.FIXED_WINDOW)
            .where(" with align: calendar")
            .otherwise("UTC")
            .suggest("UTC", "The default.")
            .suggest("Europe/Berlin", "A region, with its daylight-saving time.")
            .suggest("+10:00", "A fixed offset; quote it in YAML.")
            .in(limit -> limit instanceof Limit.CalendarWindow calendar
                    ? calendar.zone().getId()
                    : null)
            .named("zone");

    /** For a leaky bucket only with {@link RuleOptions#MAX_WAIT}. */
    public static final Option<String> WARM_UP = Option.duration(
                    "Time in which the rate rises from a third to its full value after idling, such as 10s")
            .onlyFor(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET)
            .where(" with max-wait; not with burst")
            .zeroTo(Duration.ofDays(30))
            .suggest("10s", "Ten seconds.")
            .suggest("1m", "One minute.")
            .in(LimitOptions::warmUp)
            .named("warm-up");

    /** A number or an expression; defaults to the cost of the rule. */
    public static final Option<String> COST = Option.text(
                    "Permits that a request takes from this limit, as a number or an expression")
            .otherwiseCounts("the cost of the rule")
            .suggest("1", "One permit for each request.")
            .named("cost");

    /** The options of a named limit. */
    public static final List<Option<?>> OF_NAMED =
            List.of(LIMIT, WINDOW, ALGORITHM, BURST, BUCKETS, ALIGN, ZONE, WARM_UP, COST);

    /** The options of the only limit of a rule. Its cost is an option of the rule. */
    public static final List<Option<?>> OF_RULE =
            OF_NAMED.stream().filter(option -> option != COST).toList();

    private LimitOptions() {}

    private static @Nullable Object warmUp(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return length(bucket.warmUp());
        }
        return limit instanceof Limit.LeakyBucket bucket ? length(bucket.warmUp()) : null;
    }

    private static @Nullable Object length(Duration duration) {
        return duration.isZero() ? null : duration;
    }
}
