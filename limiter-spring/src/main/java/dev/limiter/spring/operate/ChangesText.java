package dev.limiter.spring.operate;

import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.operate.Changes.Revision;
import dev.limiter.spring.operate.RuleChange.Signature;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.Mode;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes as a text, for a file or a server: a line for each, of names and values as in a query of a URL. Lines of a
 * kind that is not known are left out, so that instances of a later version may add some.
 */
public final class ChangesText {

    private static final String AFTER = "after";
    private static final String CHANGE = "change";
    private static final String OVERRIDE = "override";

    private ChangesText() {}

    /** All but the revision. */
    public static String write(Changes changes) {
        StringBuilder text = new StringBuilder();
        changes.before()
                .forEach(revision ->
                        text.append(AFTER + "&revision=").append(revision).append('\n'));
        changes.rules()
                .forEach((rule, some) -> some.forEach(change -> {
                    Line line = new Line(CHANGE, rule, change.named());
                    line.add("limit", change.limit());
                    line.add("window", change.window());
                    line.add("burst", change.burst());
                    line.add("mode", change.mode() == null ? null : EnumText.of(change.mode()));
                    line.add("enforce", change.enforce());
                    line.add(change.signature());
                    text.append(line.text).append('\n');
                }));
        changes.overrides()
                .forEach((rule, some) -> some.forEach(override -> {
                    Line line = new Line(OVERRIDE, rule, override.named());
                    line.add("key", override.key());
                    line.add("limit", override.limit());
                    line.add("until", override.until());
                    line.add("reason", override.reason());
                    text.append(line.text).append('\n');
                }));
        return text.toString();
    }

    private static final class Line {

        final StringBuilder text;

        Line(String kind, String rule, @Nullable String named) {
            this.text = new StringBuilder(kind);
            add("rule", rule);
            add("named", named);
        }

        void add(@Nullable Signature signature) {
            if (signature != null) {
                add("version", signature.version());
                add("at", signature.at());
                add("by", signature.by());
                add("reason", signature.reason());
            }
        }

        void add(String name, @Nullable Object value) {
            if (value != null) {
                text.append('&').append(name).append('=');
                text.append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8));
            }
        }
    }

    /**
     * The changes that were written.
     *
     * @throws IllegalArgumentException if the text is none that was
     */
    public static Changes read(Revision revision, String text) {
        List<Revision> before = new ArrayList<>();
        Map<String, List<RuleChange>> rules = new TreeMap<>();
        Map<String, List<KeyOverride>> overrides = new TreeMap<>();
        if (!text.isEmpty() && !text.endsWith("\n")) {
            throw new IllegalArgumentException("The last line has no end: it may be cut.");
        }
        for (String line : text.lines().toList()) {
            try {
                Map<String, String> values = values(line);
                if (line.startsWith(AFTER + "&")) {
                    before.add(Revision.parse(needed(values, "revision")));
                } else if (line.startsWith(CHANGE + "&")) {
                    rules.computeIfAbsent(needed(values, "rule"), rule -> new ArrayList<>())
                            .add(change(values));
                } else if (line.startsWith(OVERRIDE + "&")) {
                    overrides
                            .computeIfAbsent(needed(values, "rule"), rule -> new ArrayList<>())
                            .add(override(values));
                }
            } catch (IllegalArgumentException | DateTimeException wrong) {
                throw new IllegalArgumentException("This line is not one of a change: " + LogText.escape(line), wrong);
            }
        }
        return new Changes(revision, before, rules, overrides);
    }

    private static Map<String, String> values(String line) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String pair : line.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                values.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return values;
    }

    private static RuleChange change(Map<String, String> values) {
        String mode = values.get("mode");
        return new RuleChange(
                values.get("named"),
                number(values.get("limit")),
                values.get("window"),
                number(values.get("burst")),
                mode == null ? null : Mode.valueOf(mode.toUpperCase(Locale.ROOT)),
                values.get("enforce"),
                signature(values));
    }

    private static @Nullable Signature signature(Map<String, String> values) {
        return values.containsKey("by")
                ? new Signature(
                        Long.parseLong(needed(values, "version")),
                        Instant.parse(needed(values, "at")),
                        needed(values, "by"),
                        values.get("reason"))
                : null;
    }

    private static KeyOverride override(Map<String, String> values) {
        return new KeyOverride(
                needed(values, "key"),
                values.get("named"),
                Long.parseLong(needed(values, "limit")),
                Instant.parse(needed(values, "until")),
                values.get("reason"));
    }

    private static @Nullable Long number(@Nullable String text) {
        return text == null ? null : Long.valueOf(text);
    }

    private static String needed(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("without " + name);
        }
        return value;
    }
}
