package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The members of the {@code RateLimit-Policy}, {@code RateLimit} and {@code RateLimit-Partition} fields of the IETF
 * draft "RateLimit header fields for HTTP": lists of RFC 9651 whose members are strings with parameters.
 */
public final class FieldMembers {

    /** The largest integer that a structured field may hold. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private FieldMembers() {}

    /**
     * {@code "orders";q=100;w=60}: what may be used, per how many seconds; or at once. {@code name}: see {@link #name}.
     */
    static String policy(String name, Limit limit) {
        String quota = name + ";q=" + integer(limit.limit());
        return limit instanceof Limit.Concurrency
                ? quota + ";qu=\"concurrent-requests\""
                : quota + ";w=" + integer(secondsRoundedUp(limit.window()));
    }

    /**
     * {@code "orders";r=12;t=60}: what could be taken now, and within how many seconds it may be used.
     *
     * @param name as {@link #name} writes it
     * @param asked what the request took of its limits, or would have; null if that is not known
     * @param position of the limit among those
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
     * {@code "orders";user_id}: by what the quota is divided.
     *
     * @param kinds the kinds of the parts of the key; none if all share it
     */
    static void appendPartition(StringBuilder field, String name, List<String> kinds) {
        field.append(name);
        for (String kind : kinds) {
            field.append(';').append(FieldNames.dimension(kind));
        }
    }

    /** When a rejected limit would permit the request, else when nothing of it is used: what older fields tell. */
    static long secondsToReset(LimitStatus status) {
        return secondsRoundedUp(status.retryAfter().orElse(status.resetAfter()));
    }

    /** A client that comes after so many seconds never comes too early. */
    public static long secondsRoundedUp(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    private static long integer(long value) {
        return Math.min(value, MAX_INTEGER);
    }

    /** A string may hold printable ASCII only: names of methods in other scripts are shown with question marks. */
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
