package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spi.OutOfRangeException;
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
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compiles settings to core limits. The core checks the range of each option. Thread-safe.
 */
final class LimitCompiler {

    private final Set<Algorithm> available;
    private final TimeSteps steps;

    /**
     * @param available the algorithms that have a strategy
     * @param steps the unit in which the storage counts time
     */
    LimitCompiler(Set<Algorithm> available, TimeSteps steps) {
        this.available = available;
        this.steps = steps;
    }

    /**
     * Returns the limits of a rule or tier, in order.
     *
     * @param maxWait the longest wait of a request; zero if requests do not wait
     * @throws LimiterConfigurationException with the problems of all limits
     */
    List<Limit> compile(Map<String, LimitDefinition> byName, Duration maxWait) {
        Problems problems = new Problems();
        List<Limit> limits = new ArrayList<>();
        byName.forEach((name, definition) -> {
            Limit limit = problems.collect(() -> compile(name, definition, maxWait));
            if (limit != null) {
                limits.add(limit);
            }
        });
        problems.throwIfAny();
        return limits;
    }

    private Limit compile(String name, LimitDefinition definition, Duration maxWait) {
        Problems problems = new Problems();
        checkAvailable(definition.get(LimitOptions.ALGORITHM), problems);
        LimitOptions.OF_RULE.forEach(option -> check(option, definition, problems));
        Setting<Long> limit = definition.get(LimitOptions.LIMIT);
        if (limit == null) {
            problems.add(
                    MessageCode.LIMIT_MISSING,
                    definition.where(),
                    null,
                    "A limit is missing. Set the number of permits, such as limit: 100.");
        } else if (definition.algorithm() == Algorithm.SLIDING_WINDOW_LOG) {
            steps.checkLogged(limit, problems);
        }
        if (definition.hasWindow() && definition.get(LimitOptions.WINDOW) == null) {
            problems.add(
                    MessageCode.WINDOW_MISSING,
                    definition.where(),
                    null,
                    "A window is missing. Set the time that the limit is for, such as window: 1m.");
        }
        Times times = times(definition, maxWait, problems);
        problems.throwIfAny();
        try {
            Limit compiled = limit(limit == null ? 0 : limit.value(), times, definition);
            return name.isEmpty() ? compiled : compiled.named(name);
        } catch (OutOfRangeException outOfRange) {
            throw new LimiterConfigurationException(problem(outOfRange, definition));
        } catch (IllegalArgumentException contradiction) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.IMPOSSIBLE_LIMIT, definition.where(), null, contradiction.getMessage() + "."));
        }
    }

    private static Problem problem(OutOfRangeException outOfRange, LimitDefinition definition) {
        Setting<?> setting = LimitOptions.OF_RULE.stream()
                .filter(option -> option.attribute().equals(outOfRange.option()))
                .findFirst()
                .<Setting<?>>map(definition::get)
                .orElse(null);
        boolean time = setting != null && setting.value() instanceof String;
        return new Problem(
                time ? MessageCode.DURATION : MessageCode.OUT_OF_RANGE,
                setting == null ? definition.where() : setting.where(),
                setting == null ? null : setting.value(),
                "It must be " + outOfRange.range() + ".");
    }

    private void checkAvailable(@Nullable Setting<Algorithm> algorithm, Problems problems) {
        if (algorithm != null && !available.contains(algorithm.value())) {
            problems.add(
                    MessageCode.ALGORITHM_MISSING,
                    algorithm.where(),
                    algorithm.value(),
                    "This algorithm is not available. Available: "
                            + (available.isEmpty()
                                    ? "none, because the RateLimiterFactory bean has no strategy. Is it a mock?"
                                    : names(available) + "."));
        }
    }

    /** Checks an option. The core checks numbers again, but would report only the first invalid one. */
    private static void check(Option<?> option, LimitDefinition definition, Problems problems) {
        Setting<?> setting = definition.get(option);
        Set<Algorithm> with = option.algorithms();
        if (setting != null && !with.contains(definition.algorithm())) {
            problems.add(
                    MessageCode.IGNORED_OPTION,
                    setting.where(),
                    setting.value(),
                    EnumText.of(definition.algorithm()) + " has no " + option + "; only "
                            + names(with) + (with.size() == 1 ? " has " : " have ") + option
                            + ". Remove it, or choose another algorithm.");
        } else if (setting != null
                && setting.value() instanceof Number number
                && (number.longValue() < option.min() || number.longValue() > option.max())) {
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    setting.where(),
                    number,
                    "It must be from " + option.min() + " to " + option.max() + "."
                            + (option == LimitOptions.LIMIT && number.longValue() == 0
                                    ? " To turn the rule off, set mode: off."
                                    : ""));
        }
    }

    private static String names(Set<Algorithm> algorithms) {
        return algorithms.stream().sorted().map(EnumText::of).collect(Collectors.joining(", "));
    }

    /** The times of a limit; {@code period}: a calendar period that replaces the window. */
    private record Times(Duration window, @Nullable Period period, ZoneId zone, Duration warmUp, Duration maxWait) {}

    private Times times(LimitDefinition definition, Duration maxWait, Problems problems) {
        boolean calendar = definition.value(LimitOptions.ALIGN) == Align.CALENDAR;
        Setting<String> window = definition.get(LimitOptions.WINDOW);
        Duration length = calendar ? null : problems.collect(() -> duration(window));
        if (length != null && definition.algorithm() == Algorithm.SLIDING_WINDOW_COUNTER) {
            steps.checkParts(window, length, buckets(definition), problems);
        }
        Duration warmUp = problems.collect(() -> duration(definition.get(LimitOptions.WARM_UP)));
        return new Times(
                length == null ? Duration.ZERO : length,
                calendar && window != null ? period(window, problems) : null,
                zone(definition.get(LimitOptions.ZONE), calendar, problems),
                warmUp == null ? Duration.ZERO : warmUp,
                maxWait);
    }

    private Duration duration(@Nullable Setting<String> setting) {
        return setting == null ? Duration.ZERO : steps.duration(setting);
    }

    private static @Nullable Period period(Setting<String> window, Problems problems) {
        Period period = switch (window.value().strip()) {
            case "1d", "P1D" -> Period.ofDays(1);
            case "7d", "P7D", "P1W" -> Period.ofDays(7);
            case "1mo", "P1M" -> Period.ofMonths(1);
            default -> null;
        };
        if (period == null) {
            problems.add(
                    MessageCode.CALENDAR,
                    window.where(),
                    window.value(),
                    "With align: calendar, a window must be 1d, 7d or 1mo.");
        }
        return period;
    }

    private static ZoneId zone(@Nullable Setting<String> zone, boolean calendar, Problems problems) {
        if (zone == null) {
            return ZoneOffset.UTC;
        }
        try {
            ZoneId known = ZoneId.of(zone.value().strip());
            if (calendar) {
                return known;
            }
        } catch (DateTimeException unknown) {
            // reported below
        }
        problems.add(
                MessageCode.TIME_ZONE,
                zone.where(),
                zone.value(),
                "It must be UTC, a region such as Europe/Berlin, or a quoted offset such as \"+10:00\", and it needs"
                        + " align: calendar.");
        return ZoneOffset.UTC;
    }

    private static Limit limit(long limit, Times times, LimitDefinition definition) {
        Duration window = times.window;
        Long burst = definition.value(LimitOptions.BURST);
        return switch (definition.algorithm()) {
            case TOKEN_BUCKET ->
                Limit.tokenBucket(limit, window)
                        .burst(burst == null ? limit : burst)
                        .warmUp(times.warmUp);
            case LEAKY_BUCKET -> leakyBucket(Limit.leakyBucket(limit, window), burst, times);
            case FIXED_WINDOW -> fixedWindow(limit, times, definition.value(LimitOptions.ALIGN));
            case SLIDING_WINDOW_COUNTER ->
                Limit.slidingWindowCounter(limit, window).buckets(buckets(definition));
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(limit, window);
            case CONCURRENCY -> Limit.concurrency(limit);
        };
    }

    private static Limit leakyBucket(Limit.LeakyBucket bucket, @Nullable Long burst, Times times) {
        Limit.LeakyBucket sized = burst == null ? bucket : bucket.burst(burst);
        if (times.maxWait.isZero()) {
            return sized.warmUp(times.warmUp);
        }
        return (burst == null ? OtherPermits.queue(bucket, times.maxWait) : sized)
                .paced()
                .warmUp(times.warmUp);
    }

    private static Limit fixedWindow(long limit, Times times, @Nullable Align align) {
        if (times.period != null) {
            return Limit.calendarWindow(limit, times.period, times.zone);
        }
        Limit.FixedWindow fixed = Limit.fixedWindow(limit, times.window);
        return align == Align.FIRST ? fixed.alignFirst() : fixed;
    }

    private static int buckets(LimitDefinition definition) {
        Integer buckets = definition.value(LimitOptions.BUCKETS);
        return buckets == null ? LimitOptions.BUCKETS.usual() : buckets;
    }
}
