package dev.limiter.spring.config;

import dev.limiter.OnFailure;
import dev.limiter.spring.compile.DurationParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The validated settings of {@code limiter.redis}. Immutable.
 *
 * @param keyPrefix not empty, without braces
 * @param url a dedicated server for limits; null to use that of the application
 * @param timeout the timeout of a decision, more than zero and at most ten seconds
 * @param onFailure the default for rules
 * @param instances 1 or more; 0 to count them automatically
 * @param keySecret null if there is none
 */
public record RedisSettings(
        String keyPrefix,
        @Nullable String url,
        Duration timeout,
        OnFailure onFailure,
        int instances,
        @Nullable String keySecret) {

    /** The documented default. Cannot be resolved in an application without a name. */
    static final String DEFAULT_PREFIX = "limiter:${spring.application.name}:";

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_INSTANCES = 1_000_000;
    private static final int SHORTEST_SECRET = 16;

    static RedisSettings of(LimiterProperties.Redis redis, @Nullable String application, Problems problems) {
        return new RedisSettings(
                redis.keyPrefix() == null || redis.keyPrefix().equals(DEFAULT_PREFIX)
                        ? defaultPrefix(application)
                        : keyPrefix(redis.keyPrefix(), problems),
                redis.url(),
                timeout(redis.timeout(), problems),
                redis.onFailure(),
                instances(redis.instances(), problems),
                keySecret(redis.keySecret(), problems));
    }

    /** Contains the application name, so that applications on the same server do not share limits. */
    private static String defaultPrefix(@Nullable String application) {
        return application == null || application.isBlank()
                ? "limiter:"
                : "limiter:" + application.strip().replaceAll("[{}]", "-") + ":";
    }

    private static String keyPrefix(String prefix, Problems problems) {
        if (prefix.isBlank() || prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            problems.add(
                    MessageCode.REDIS_PREFIX,
                    "limiter.redis.key-prefix",
                    prefix,
                    "It must not be empty, and must not contain braces, which determine the slot of a key in a"
                            + " cluster. For example limiter: or shop:limiter:.");
        }
        return prefix;
    }

    private static Duration timeout(String text, Problems problems) {
        Duration timeout = problems.collect(() -> DurationParser.parse(new Setting<>(text, "limiter.redis.timeout")));
        if (timeout != null && (timeout.isZero() || timeout.compareTo(LONGEST_TIMEOUT) > 0)) {
            problems.add(
                    MessageCode.DURATION,
                    "limiter.redis.timeout",
                    text,
                    "It must be longer than zero and at most 10s, such as 50ms.");
        }
        return timeout == null ? Duration.ZERO : timeout;
    }

    private static int instances(@Nullable Integer instances, Problems problems) {
        if (instances == null) {
            return 0;
        }
        if (instances < 1 || instances > MOST_INSTANCES) {
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    "limiter.redis.instances",
                    instances,
                    "It must be from 1 to " + MOST_INSTANCES + ". Remove it to count the instances automatically.");
        }
        return instances;
    }

    private static @Nullable String keySecret(@Nullable String secret, Problems problems) {
        if (secret != null && secret.length() < SHORTEST_SECRET) {
            // even an invalid secret must not appear in logs
            problems.add(
                    MessageCode.REDIS_SECRET,
                    "limiter.redis.key-secret",
                    null,
                    "It has " + secret.length() + " characters, but must have " + SHORTEST_SECRET + " or more.");
        }
        return secret;
    }

    /** Leaves out the secret. */
    @Override
    public String toString() {
        return "RedisSettings[keyPrefix=" + keyPrefix + ", timeout=" + timeout + ", onFailure=" + onFailure
                + ", instances=" + instances + "]";
    }
}
