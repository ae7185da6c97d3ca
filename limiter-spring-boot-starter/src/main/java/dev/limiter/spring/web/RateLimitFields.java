package dev.limiter.spring.web;

import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.List;

/**
 * The values of the {@code RateLimit-Policy} and {@code RateLimit} fields of the IETF draft "RateLimit header fields
 * for HTTP": lists of RFC 9651 whose members are strings with parameters.
 */
final class RateLimitFields {

    /** The largest integer that a structured field may hold. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private RateLimitFields() {}

    /** {@code "orders";q=100;w=60}: what may be used, per how many seconds; or at once. */
    static String policies(List<LimitStatus> statuses) {
        StringBuilder field = new StringBuilder(32 * statuses.size());
        for (LimitStatus status : statuses) {
            member(field, status);
            parameter(field, 'q', status.limit().limit());
            if (status.limit() instanceof Limit.Concurrency) {
                field.append(";qu=\"concurrent-requests\"");
            } else {
                parameter(field, 'w', secondsRoundedUp(status.limit().window()));
            }
        }
        return field.toString();
    }

    /** {@code "orders";r=12;t=60}: what could be taken now, and in how many seconds there is more, if anybody knows. */
    static String remaining(List<LimitStatus> statuses) {
        StringBuilder field = new StringBuilder(32 * statuses.size());
        for (LimitStatus status : statuses) {
            member(field, status);
            parameter(field, 'r', status.remaining());
            if (!(status.limit() instanceof Limit.Concurrency)) {
                parameter(field, 't', secondsToMore(status));
            }
        }
        return field.toString();
    }

    /** When a refused limit would permit the request, else when nothing of it is used. */
    static long secondsToMore(LimitStatus status) {
        return secondsRoundedUp(status.retryAfter().orElse(status.resetAfter()));
    }

    /** A client that comes after so many seconds never comes too early. */
    static long secondsRoundedUp(Duration duration) {
        return duration.plusNanos(999_999_999).toSeconds();
    }

    private static void member(StringBuilder field, LimitStatus status) {
        if (!field.isEmpty()) {
            field.append(", ");
        }
        string(field, status.policy());
    }

    private static void parameter(StringBuilder field, char name, long value) {
        field.append(';').append(name).append('=').append(Math.min(value, MAX_INTEGER));
    }

    /** A string may hold printable ASCII only: names of methods in other scripts are shown with question marks. */
    private static void string(StringBuilder field, String text) {
        field.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                field.append('\\');
            }
            field.append(c >= ' ' && c <= '~' ? c : '?');
        }
        field.append('"');
    }
}
