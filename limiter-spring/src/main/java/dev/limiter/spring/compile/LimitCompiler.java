package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Align;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Setting;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings of one limit into the core's limit. Thread-safe. */
final class LimitCompiler {

    private final Set<Algorithm> available;
    private final TimeSteps steps;

    /**
     * @param available the algorithms that there is a strategy for
     * @param steps what the storage counts time in
     */
    LimitCompiler(Set<Algorithm> available, TimeSteps steps) {
        this.available = available;
        this.steps = steps;
    }

    /**
     * @param name empty for the only limit of a rule
     * @param maxWait how long requests wait for their turn; zero if none does, null if that is not known yet
     * @throws LimiterConfigurationException if the settings cannot work
     */
    Limit compile(String name, LimitDefinition definition, @Nullable Duration maxWait) {
        Problems problems = new Problems();
        Algorithm algorithm = definition.algorithm();
        checkAlgorithm(definition.get(LimitOptions.ALGORITHM), problems);
        LimitOptions.OF_RULE.forEach(option -> checkTaken(option, definition, problems));
        Duration warmUp = warmUp(definition, maxWait == null || !maxWait.isZero(), problems);
        LimitOptions.OF_RULE.forEach(option -> OptionValues.checkRange(option, definition.get(option), problems));
        Setting<Long> limit = definition.get(LimitOptions.LIMIT);
        if (limit == null) {
            problems.add(
                    MessageCode.LIMIT_MISSING,
                    definition.where(),
                    null,
                    "A limit is missing: say how many, such as limit: 100.");
        }
        if (limit != null && algorithm == Algorithm.SLIDING_WINDOW_LOG) {
            steps.checkLogged(limit, problems);
        }
        Windows windows = definition.hasWindow()
                ? windows(definition, problems)
                : new Windows(Duration.ZERO, null, ZoneOffset.UTC);
        problems.throwIfAny();
        Pace pace = new Pace(maxWait == null ? Duration.ZERO : maxWait, warmUp);
        return limit(name, algorithm, limit == null ? 0 : limit.value(), windows, pace, definition);
    }

    /** The check of the length of a log, for a limit that is compiled already. */
    void checkLogged(Limit limit, String where, Problems problems) {
        if (limit.algorithm() == Algorithm.SLIDING_WINDOW_LOG) {
            steps.checkLogged(new Setting<>(limit.limit(), where), problems);
        }
    }

    /** How evenly requests go, and how slowly at first; zero for none. */
    private record Pace(Duration maxWait, Duration warmUp) {

        boolean isEven() {
            return !maxWait.isZero();
        }

        /** As many waiters as can be served in time, unless their number is given. */
        long queue(long limit, Duration window) {
            BigInteger served = BigInteger.valueOf(maxWait.toNanos())
                    .multiply(BigInteger.valueOf(limit))
                    .divide(BigInteger.valueOf(window.toNanos()))
                    .add(BigInteger.ONE);
            return Math.max(
                    limit, served.min(BigInteger.valueOf(Limit.MAX_PERMITS)).longValueExact());
        }
    }

    private Duration warmUp(LimitDefinition definition, boolean paced, Problems problems) {
        Setting<String> setting = definition.get(LimitOptions.WARM_UP);
        Duration warmUp =
                setting == null ? null : OptionValues.duration(LimitOptions.WARM_UP, setting, steps, problems);
        if (setting == null || warmUp == null || warmUp.isZero()) {
            return Duration.ZERO;
        }
        Algorithm algorithm = definition.algorithm();
        boolean taken = LimitOptions.WARM_UP.algorithms().contains(algorithm);
        if (!taken || algorithm == Algorithm.LEAKY_BUCKET && !paced) {
            problems.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    EnumText.of(algorithm) + " does not warm up and would ignore it; only token-bucket does, and"
                            + " leaky-bucket with a max-wait. Remove it, or choose another algorithm.");
        }
        if (definition.get(LimitOptions.BURST) != null) {
            problems.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    "What warms up lets requests go one after the other: remove it, or remove the burst.");
        }
        return warmUp;
    }

    /** Windows of a length, or of the calendar. */
    private record Windows(Duration length, @Nullable Period period, ZoneId zone) {}

    private Windows windows(LimitDefinition definition, Problems problems) {
        ZoneId zone = zone(definition, problems);
        Setting<String> window = definition.get(LimitOptions.WINDOW);
        if (window == null || !isCalendar(definition)) {
            return new Windows(window(definition, problems), null, zone);
        }
        try {
            return new Windows(Duration.ZERO, CalendarPeriod.parse(window.value()), zone);
        } catch (IllegalArgumentException exception) {
            problems.add(MessageCode.CALENDAR, window.where(), window.value(), exception.getMessage() + ".");
            return new Windows(Duration.ZERO, null, zone);
        }
    }

    private static boolean isCalendar(LimitDefinition definition) {
        return definition.value(LimitOptions.ALIGN) == Align.CALENDAR;
    }

    private static ZoneId zone(LimitDefinition definition, Problems problems) {
        Setting<String> zone = definition.get(LimitOptions.ZONE);
        if (zone == null) {
            return ZoneOffset.UTC;
        }
        if (!isCalendar(definition)) {
            problems.add(
                    MessageCode.TIME_ZONE,
                    zone.where(),
                    zone.value(),
                    "Only windows of the calendar have a time zone: add align: calendar, or remove the zone.");
        }
        try {
            return ZoneId.of(zone.value().strip());
        } catch (DateTimeException unknown) {
            problems.add(
                    MessageCode.TIME_ZONE,
                    zone.where(),
                    zone.value(),
                    "There is no such time zone; write UTC, a region such as Europe/Berlin, or a quoted offset such as"
                            + " \"+10:00\".");
            return ZoneOffset.UTC;
        }
    }

    private void checkAlgorithm(@Nullable Setting<Algorithm> algorithm, Problems problems) {
        if (algorithm != null && !available.contains(algorithm.value())) {
            problems.add(
                    MessageCode.ALGORITHM_MISSING,
                    algorithm.where(),
                    EnumText.of(algorithm.value()),
                    "This algorithm is not available; there are "
                            + (available.isEmpty()
                                    ? "none: the RateLimiterFactory bean has no strategy, as a mock of it."
                                    : names(available) + "."));
        }
    }

    /** Whether the algorithm would ignore an option; where that takes more than the algorithm to tell, others do. */
    private static void checkTaken(Option<?> option, LimitDefinition definition, Problems problems) {
        Setting<?> setting = definition.get(option);
        Set<Algorithm> with = option.algorithms();
        boolean others = option == LimitOptions.WARM_UP || option == LimitOptions.ZONE;
        if (setting != null && !others && !with.contains(definition.algorithm())) {
            problems.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    EnumText.of(definition.algorithm()) + " has no " + option + " and would ignore it; only "
                            + names(with) + (with.size() == 1 ? " has " : " have ") + option
                            + ". Remove it, or choose another algorithm.");
        }
    }

    private Duration window(LimitDefinition definition, Problems problems) {
        Setting<String> window = definition.get(LimitOptions.WINDOW);
        if (window == null) {
            problems.add(
                    MessageCode.WINDOW_MISSING,
                    definition.where(),
                    null,
                    "A window is missing: say the time that the limit is for, such as window: 1m.");
            return Duration.ZERO;
        }
        if (CalendarPeriod.isMonth(window.value())) {
            problems.add(
                    MessageCode.CALENDAR,
                    window.where(),
                    window.value(),
                    "Months differ in length: a window of one needs algorithm: fixed-window and align: calendar.");
            return Duration.ZERO;
        }
        try {
            Duration duration = DurationParser.parse(window.value());
            if (duration.isZero() || duration.compareTo(Limit.MAX_WINDOW) > 0) {
                problems.add(
                        MessageCode.DURATION,
                        window.where(),
                        window.value(),
                        "A window must be longer than zero and at most " + Limit.MAX_WINDOW.toDays()
                                + "d, such as 1s or 1m.");
            }
            steps.check(window, duration, problems);
            if (definition.algorithm() == Algorithm.SLIDING_WINDOW_COUNTER && !duration.isZero()) {
                checkBuckets(definition.get(LimitOptions.BUCKETS), window, duration, problems);
            }
            return duration;
        } catch (IllegalArgumentException exception) {
            problems.add(MessageCode.DURATION, window.where(), window.value(), exception.getMessage() + ".");
            return Duration.ZERO;
        }
    }

    private void checkBuckets(
            @Nullable Setting<Integer> buckets, Setting<String> window, Duration length, Problems problems) {
        int count = (int) or(buckets, LimitOptions.BUCKETS.usual());
        if (!steps.fit(length, Math.max(count, 1))) {
            Setting<?> setting = buckets == null ? window : buckets;
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    setting.where(),
                    setting.value(),
                    "The window is too short for " + (buckets == null ? count + " buckets: " : "so many: ")
                            + steps.leastPart() + ".");
        }
    }

    private static Limit limit(
            String name, Algorithm algorithm, long limit, Windows windows, Pace pace, LimitDefinition definition) {
        Duration window = windows.length();
        try {
            Limit compiled = switch (algorithm) {
                case TOKEN_BUCKET ->
                    Limit.tokenBucket(limit, window)
                            .burst(or(definition.get(LimitOptions.BURST), limit))
                            .warmUp(pace.warmUp());
                case LEAKY_BUCKET -> leakyBucket(limit, window, pace, definition);
                case FIXED_WINDOW -> fixedWindow(limit, windows, definition.get(LimitOptions.ALIGN));
                case SLIDING_WINDOW_COUNTER ->
                    Limit.slidingWindowCounter(limit, window)
                            .buckets((int) or(definition.get(LimitOptions.BUCKETS), LimitOptions.BUCKETS.usual()));
                case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(limit, window);
                case CONCURRENCY -> Limit.concurrency(limit);
            };
            return name.isEmpty() ? compiled : compiled.named(name);
        } catch (IllegalArgumentException exception) {
            throw new LimiterConfigurationException(
                    new Problem(MessageCode.IMPOSSIBLE_LIMIT, definition.where(), null, exception.getMessage() + "."));
        }
    }

    private static Limit leakyBucket(long limit, Duration window, Pace pace, LimitDefinition definition) {
        Limit.LeakyBucket bucket = Limit.leakyBucket(limit, window);
        return pace.isEven()
                ? bucket.burst(or(definition.get(LimitOptions.BURST), pace.queue(limit, window)))
                        .paced()
                        .warmUp(pace.warmUp())
                : bucket.burst(or(definition.get(LimitOptions.BURST), limit));
    }

    private static Limit fixedWindow(long limit, Windows windows, @Nullable Setting<Align> align) {
        if (windows.period() != null) {
            return Limit.calendarWindow(limit, windows.period(), windows.zone());
        }
        Limit.FixedWindow fixed = Limit.fixedWindow(limit, windows.length());
        return align != null && align.value() == Align.FIRST ? fixed.startingWithFirst() : fixed;
    }

    private static long or(@Nullable Setting<? extends Number> setting, long otherwise) {
        return setting == null ? otherwise : setting.value().longValue();
    }

    private static String names(Set<Algorithm> algorithms) {
        return algorithms.stream().sorted().map(EnumText::of).collect(Collectors.joining(", "));
    }
}
