package dev.limiter.spring.operate;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Setting;
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
 * A change of a rule or of one of its keys by an operator: settings as in a rules file, which override the
 * configuration. Immutable.
 *
 * @param settings the text of each changed setting by its path below the rule, such as {@code limit} or
 *     {@code limits.per-day.limit}
 * @param version the version of the rules with this change; 0 before it is applied
 * @param by the author, without control characters
 * @param reason the reason, without control characters; null if none is given
 * @param until the end of the change; null if it applies until it is reverted
 */
public record Change(
        Map<String, String> settings,
        long version,
        Instant at,
        String by,
        @Nullable String reason,
        @Nullable Instant until) {

    private static final String LIMITS = "limits.";

    /**
     * The options that can change. Expressions cannot, because every client with write access to Redis could set them.
     */
    private static final List<Option<?>> OF_LIMIT =
            List.of(LimitOptions.LIMIT, LimitOptions.WINDOW, LimitOptions.BURST);

    private static final List<Option<?>> OF_RULE = List.of(RuleOptions.MODE, RuleOptions.ROLLOUT);

    public Change {
        Map<String, String> sorted = new TreeMap<>();
        settings.forEach((path, text) -> sorted.put(canonical(path), text));
        settings = Collections.unmodifiableMap(sorted);
    }

    /** Returns the path with the canonical name of the limit, so that two spellings are one setting. */
    private static String canonical(String path) {
        return isNamed(path) ? LIMITS + RuleName.canonical(named(path)) + path.substring(path.lastIndexOf('.')) : path;
    }

    private static boolean isNamed(String path) {
        return path.startsWith(LIMITS) && path.lastIndexOf('.') > LIMITS.length();
    }

    private static String named(String path) {
        return isNamed(path) ? path.substring(LIMITS.length(), path.lastIndexOf('.')) : "";
    }

    /** Returns this change merged over a former one. */
    Change over(Change former) {
        Map<String, String> merged = new TreeMap<>(former.settings);
        merged.putAll(settings);
        return new Change(merged, version, at, by, reason, until);
    }

    /** Returns this change with a version. */
    Change leadingTo(long next) {
        return new Change(settings, next, at, by, reason, until);
    }

    boolean isOver(Instant now) {
        return until != null && !until.isAfter(now);
    }

    /** Returns the origin of its settings. */
    RuleOrigin origin() {
        return RuleOrigin.source(toString());
    }

    /**
     * Returns its settings as a definition.
     *
     * @param rule the changed rule
     * @param origin the origin of the overlay
     * @throws LimiterConfigurationException if the rule has no such limit, or if a setting cannot change or is invalid
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

    /**
     * Returns the mode in a change of {@link Changes#ALL_RULES}.
     *
     * @throws LimiterConfigurationException if the mode is invalid, or if there are other settings
     */
    Setting<Mode> modeOfAll() {
        String text = settings.get(RuleOptions.MODE.name());
        if (text == null || settings.size() > 1) {
            throw problem(
                    MessageCode.CHANGE,
                    RuleOptions.MODE.name(),
                    text,
                    "Without a rule, only the mode can change. Send a mode, such as {\"mode\": \"shadow\"}.");
        }
        return new Setting<>(mode(text.strip(), RuleOptions.MODE.name()), origin().of(ChangeOrigin.MODE_OF_ALL.name()));
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
            throw problem(MessageCode.UNREADABLE_VALUE, where, text, "It must be a whole number.");
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException tooLarge) {
            throw problem(
                    MessageCode.OUT_OF_RANGE,
                    where,
                    text,
                    "It must be from " + option.min() + " to " + option.max() + ".");
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
                    "It must be one of: " + String.join(", ", modes) + "." + DidYouMean.ask(text, modes));
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
