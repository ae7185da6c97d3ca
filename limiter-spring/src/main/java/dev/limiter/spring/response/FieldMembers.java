package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes members of the {@code RateLimit-Policy}, {@code RateLimit} and {@code RateLimit-Partition} fields of the IETF
 * draft "RateLimit header fields for HTTP". The fields are RFC 9651 lists of strings with parameters.
 */
public final class FieldMembers {

    /** The largest integer in a structured field. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private FieldMembers() {}

    /**
     * Returns the policy of a limit, such as {@code "orders";q=100;w=60}; {@code name}: a result of {@link #name}.
     */
    static String policy(String name, Limit limit) {
        String quota = name + ";q=" + integer(limit.limit());
        return limit instanceof Limit.Concurrency
                ? quota + ";qu=\"concurrent-requests\""
                : quota + ";w=" + integer(secondsRoundedUp(limit.window()));
    }

    /**
     * Appends the state of a limit, such as {@code "orders";r=12;t=60}.
     *
     * @param name a result of {@link #name}
     * @param asked the charge of the request; null if it is unknown
     * @param position the position of the limit in the charge
     */
    static void appendAvailable(
            StringBuilder field,
            FieldNames names,
            String name,
            @Nullable Charge asked,
            int position,
            Limit limit,
            long remaining,
            Optional<Duration> retryAfter,
            Duration resetAfter) {
        field.append(name).append(names.available).append(integer(remaining));
        if (!(limit instanceof Limit.Concurrency)) {
            long window = EffectiveWindow.seconds(limit, remaining, asked, retryAfter, resetAfter);
            field.append(names.window).append(window);
        }
        if (names.cost != null && asked != null) {
            field.append(names.cost).append(integer(asked.permits(position)));
        }
    }

    /**
     * Appends the partition of a limit, such as {@code "orders";user_id}.
     *
     * @param kinds the kinds of the key parts; empty if all clients share one bucket
     */
    static void appendPartition(StringBuilder field, String name, List<String> kinds) {
        field.append(name);
        for (String kind : kinds) {
            field.append(';').append(FieldNames.dimension(kind));
        }
    }

    /**
     * Returns the seconds until a rejected limit permits the request, else until the limit is unused, as legacy fields
     * report it.
     */
    static long secondsToReset(LimitStatus status) {
        return secondsRoundedUp(status.retryAfter().orElse(status.resetAfter()));
    }

    /** Rounds up to seconds, so that clients never come too early. */
    public static long secondsRoundedUp(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    private static long integer(long value) {
        return Math.min(value, MAX_INTEGER);
    }

    /**
     * Returns a name as a structured string, which allows only printable ASCII. Other characters become question marks.
     */
    static String name(String policy) {
        StringBuilder name = new StringBuilder(policy.length() + 2).append('"');
        for (int i = 0; i < policy.length(); i++) {
            char c = policy.charAt(i);
            if (c == '"' || c == '\\') {
                name.append('\\');
            }
            name.append(c >= ' ' && c <= '~' ? c : '?');
        }
        return name.append('"').toString();
    }
}
