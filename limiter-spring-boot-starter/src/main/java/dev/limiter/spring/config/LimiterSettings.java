package dev.limiter.spring.config;

import dev.limiter.Limit;
import dev.limiter.spring.address.AddressRanges;
import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.DurationParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The validated settings, except rules. Immutable.
 *
 * @param mode the mode of all rules; {@code OFF} also if Limiter is disabled, which an application processed ahead of
 *     time evaluates only at run time
 * @param maxKeys the maximum number of keys in memory
 * @param changesFile stores changes of rules across restarts; null if there is none
 * @param caps the most that rules may allow
 * @param nearLimit the percentage of a limit from which requests count as near it, 1 to 99
 */
public record LimiterSettings(
        Mode mode,
        Storage storage,
        long maxKeys,
        int nearLimit,
        @Nullable Path changesFile,
        Caps caps,
        Web web,
        RedisSettings redis) {

    private static final long MOST_KEYS = 1_000_000_000;

    /**
     * The settings of {@code limiter.web}.
     *
     * @param retryAfterJitter 0 or more
     * @param status 400 to 599
     * @param addresses how client addresses are determined
     * @param allow networks of clients that are never limited
     * @param deny networks of clients that are always rejected
     */
    public record Web(
            boolean enabled,
            boolean staticResources,
            HeaderStyle headers,
            Duration retryAfterJitter,
            int status,
            AddressSettings addresses,
            AddressRanges allow,
            AddressRanges deny) {}

    /**
     * Validates properties.
     *
     * @param environment the environment of the properties, with the name of the application
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a value is out of range
     */
    public static LimiterSettings of(LimiterProperties properties, Environment environment) {
        Problems problems = new Problems();
        LimiterProperties.Web web = properties.web();
        range("limiter.max-keys", properties.maxKeys(), 1, MOST_KEYS, problems);
        range("limiter.web.status", web.status(), 400, 599, problems);
        range("limiter.web.ipv6-prefix", web.ipv6Prefix(), 1, 128, problems);
        int nearLimit = percent("limiter.near-limit", properties.nearLimit(), problems);
        AddressRanges trusted = AddressRanges.parse("limiter.web.trusted-proxies", web.trustedProxies(), problems);
        AddressRanges allow = AddressRanges.parse("limiter.web.allow", web.allow(), problems);
        AddressRanges deny = AddressRanges.parse("limiter.web.deny", web.deny(), problems);
        Duration jitter = duration("limiter.web.retry-after-jitter", web.retryAfterJitter(), problems);
        Path changesFile = changesFile(properties, problems);
        Caps caps = caps(properties.caps(), environment, problems);
        RedisSettings redis =
                RedisSettings.of(properties.redis(), environment.getProperty("spring.application.name"), problems);
        problems.throwIfAny();
        return new LimiterSettings(
                properties.enabled() ? properties.mode() : Mode.OFF,
                properties.storage(),
                properties.maxKeys(),
                nearLimit,
                changesFile,
                caps,
                new Web(
                        web.enabled(),
                        web.staticResources(),
                        web.headers(),
                        jitter,
                        web.status(),
                        new AddressSettings(trusted, web.forwardedHeader(), web.ipv6Prefix()),
                        allow,
                        deny),
                redis);
    }

    private static @Nullable Path changesFile(LimiterProperties properties, Problems problems) {
        String file = properties.changesFile();
        if (file == null) {
            return null;
        }
        if (properties.storage() == Storage.REDIS && properties.redis().shareChanges()) {
            problems.add(
                    MessageCode.CHANGES_FILE,
                    "limiter.changes-file",
                    file,
                    "With storage: redis, changes of rules are stored in Redis.");
        }
        String obstacle;
        try {
            Path path = FileLocation.path(file);
            if (!file.isBlank() && !Files.isDirectory(path)) {
                return path;
            }
            obstacle = file.isBlank() ? "It is empty." : "It is a folder.";
        } catch (IllegalArgumentException none) {
            obstacle = String.valueOf(none.getMessage());
        }
        problems.add(MessageCode.FOREIGN_FILE, "limiter.changes-file", file, obstacle);
        return null;
    }

    private static Caps caps(
            Map<String, LimiterProperties.Cap> properties, Environment environment, Problems problems) {
        Map<String, Caps.Cap> caps = new LinkedHashMap<>();
        RelaxedNameMerger.distinct("limiter.caps", properties, environment, problems)
                .forEach((rule, cap) -> {
                    String where = "limiter.caps." + (rule.contains(".") ? "[" + rule + "]" : rule);
                    if (cap.limit() == null || cap.window() == null) {
                        problems.add(
                                MessageCode.CAP,
                                where,
                                null,
                                "Set limit and window, such as { limit: 100, window: 1s }.");
                        return;
                    }
                    range(where + ".limit", cap.limit(), 1, Limit.MAX_PERMITS, problems);
                    Duration window = duration(where + ".window", cap.window(), problems);
                    caps.put(rule, new Caps.Cap(where, cap.limit(), window));
                });
        return new Caps(caps);
    }

    private static void range(String property, long value, long min, long max, Problems problems) {
        if (value < min || value > max) {
            problems.add(MessageCode.OUT_OF_RANGE, property, value, "It must be from " + min + " to " + max + ".");
        }
    }

    /** Reads a whole number from 1 to 99 with a percent sign. */
    private static int percent(String property, String text, Problems problems) {
        String number = text.strip().replaceFirst(" ?%$", "");
        if (number.length() == text.strip().length() || !number.matches("[1-9][0-9]?")) {
            problems.add(MessageCode.OUT_OF_RANGE, property, text, "It must be from 1% to 99%.");
            return 1;
        }
        return Integer.parseInt(number);
    }

    private static Duration duration(String property, String text, Problems problems) {
        Duration duration = problems.collect(() -> DurationParser.parse(new Setting<>(text, property)));
        return duration == null ? Duration.ZERO : duration;
    }
}
