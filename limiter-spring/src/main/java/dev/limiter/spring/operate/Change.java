package dev.limiter.spring.operate;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an operator has changed in a rule, or for one key of it: settings as in a rules file, which lie over those of the
 * configuration. Immutable.
 *
 * @param settings the text of each changed setting by its name below the rule, such as {@code limit} or
 *     {@code limits.per-day.limit}
 * @param version of the rules with this change; 0 before it is made
 * @param by a name without control characters
 * @param reason likewise; null if none is given
 * @param until when it ends; null if it stays until it is reverted
 */
public record Change(
        Map<String, String> settings,
        long version,
        Instant at,
        String by,
        @Nullable String reason,
        @Nullable Instant until) {

    private static final String LIMITS = "limits.";

    /** The settings that can change. Expressions are not among them, as anyone who can write to Redis can change them. */
    private static final List<Option<?>> OF_LIMIT =
            List.of(LimitOptions.LIMIT, LimitOptions.WINDOW, LimitOptions.BURST);

    private static final List<Option<?>> OF_RULE = List.of(RuleOptions.MODE, RuleOptions.ROLLOUT);

    public Change {
        Map<String, String> sorted = new TreeMap<>();
        settings.forEach((path, text) -> sorted.put(canonical(path), text));
        settings = Collections.unmodifiableMap(sorted);
    }

    /** The path with the canonical name of the limit, so that two spellings are one setting. */
    private static String canonical(String path) {
        return isNamed(path) ? LIMITS + RuleName.canonical(named(path)) + path.substring(path.lastIndexOf('.')) : path;
    }

    private static boolean isNamed(String path) {
        return path.startsWith(LIMITS) && path.lastIndexOf('.') > LIMITS.length();
    }

    private static String named(String path) {
        return isNamed(path) ? path.substring(LIMITS.length(), path.lastIndexOf('.')) : "";
    }

    /** This change with the settings of a former one that it does not change itself. */
    Change over(Change former) {
        Map<String, String> merged = new TreeMap<>(former.settings);
        merged.putAll(settings);
        return new Change(merged, version, at, by, reason, until);
    }

    /** This change as the one that leads to a version. */
    Change leadingTo(long next) {
        return new Change(settings, next, at, by, reason, until);
    }

    boolean isOver(Instant now) {
        return until != null && !until.isAfter(now);
    }

    /** Where its settings are written. */
    RuleOrigin origin() {
        return RuleOrigin.source(toString());
    }

    /**
     * Its settings as those of a rule.
     *
     * @param rule the name of the rule
     * @param origin of the overlay
     * @throws LimiterConfigurationException if the rule has no such limit, or if a setting cannot change or be read
     */
    RuleDefinition.Builder overlay(RuleDefinition rule, RuleOrigin origin) {
        Problems problems = new Problems();
        RuleDefinition.Builder overlay = RuleDefinition.builder(rule.name(), origin);
        Map<String, Settings> ofLimits = new TreeMap<>();
        settings.forEach((path, text) -> problems.collect(() -> {
            Option<?> option = option(path);
            Settings changed = changed(option, text);
            if (OF_LIMIT.contains(option)) {
                ofLimits.merge(rule.limitName(named(path), "named", MessageCode.CHANGE), changed, Settings::over);
            } else {
                overlay.settings(changed);
            }
            return option;
        }));
        problems.throwIfAny();
        ofLimits.forEach((name, changed) -> {
            LimitDefinition limit = new LimitDefinition(origin().toString(), changed);
            if (name.isEmpty()) {
                overlay.limit(limit);
            } else {
                overlay.namedLimit(name, limit);
            }
        });
        return overlay;
    }

    private static Option<?> option(String path) {
        String name = path.substring(path.lastIndexOf('.') + 1);
        boolean whole = name.equals(path);
        return Stream.concat(OF_LIMIT.stream(), whole ? OF_RULE.stream() : Stream.empty())
                .filter(option -> option.name().equals(name) && (whole || isNamed(path)))
                .findFirst()
                .orElseThrow(() -> problem(
                        MessageCode.CHANGE, path, null, "Only limit, window, burst, mode and rollout can change."));
    }

    @SuppressWarnings("unchecked") // read() has the type of the option
    private <T> Settings changed(Option<T> option, String text) {
        return Settings.NONE.with(option, (T) read(option, text.strip()), origin());
    }

    private Object read(Option<?> option, String text) {
        String where = origin().of(option.name());
        if (option.type() == Mode.class) {
            return mode(text, where);
        }
        return option.type() == Long.class ? (Object) number(option, text, where) : text;
    }

    private static Long number(Option<?> option, String text, String where) {
        if (!text.matches("-?[0-9]+")) {
            throw problem(MessageCode.UNREADABLE_VALUE, where, text, "This must be a whole number.");
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException tooLarge) {
            throw problem(
                    MessageCode.OUT_OF_RANGE,
                    where,
                    text,
                    "This must be from " + option.min() + " to " + option.max() + ".");
        }
    }

    private static Mode mode(String text, String where) {
        List<String> modes = Arrays.stream(Mode.values()).map(EnumText::of).toList();
        int mode = modes.indexOf(text.toLowerCase(Locale.ROOT));
        if (mode < 0) {
            throw problem(
                    MessageCode.UNREADABLE_VALUE,
                    where,
                    text,
                    "This must be one of: " + String.join(", ", modes) + "." + DidYouMean.ask(text, modes));
        }
        return Mode.values()[mode];
    }

    private static LimiterConfigurationException problem(
            MessageCode code, String where, @Nullable String value, String reason) {
        return new LimiterConfigurationException(new Problem(code, where, value, reason));
    }

    @Override
    public String toString() {
        return "change " + version + " by " + by + " at " + at + (reason == null ? "" : ", because \"" + reason + "\"");
    }
}
