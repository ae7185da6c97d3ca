package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

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
        return statuses.stream()
                .map(status -> policy(name(status.policy()), status.limit()))
                .collect(Collectors.joining(", "));
    }

    /** {@code "orders";r=12;t=60}: what could be taken now, and in how many seconds there is more, if anybody knows. */
    static String remaining(List<LimitStatus> statuses) {
        return statuses.stream()
                .map(status -> remaining(name(status.policy()), status))
                .collect(Collectors.joining(", "));
    }

    /** One member of {@link #policies}. {@code name}: as {@link #name} writes it. */
    static String policy(String name, Limit limit) {
        String quota = name + ";q=" + integer(limit.limit());
        return limit instanceof Limit.Concurrency
                ? quota + ";qu=\"concurrent-requests\""
                : quota + ";w=" + integer(secondsRoundedUp(limit.window()));
    }

    /** One member of {@link #remaining}. {@code name}: as {@link #name} writes it. */
    static String remaining(String name, LimitStatus status) {
        return remaining(name, status.limit(), status.remaining(), status.retryAfter(), status.resetAfter());
    }

    /** The same of a decision on a single limit. */
    static String remaining(String name, Decision decision) {
        return remaining(name, decision.limit(), decision.remaining(), decision.retryAfter(), decision.resetAfter());
    }

    private static String remaining(
            String name, Limit limit, long remaining, Optional<Duration> retryAfter, Duration resetAfter) {
        return limit instanceof Limit.Concurrency
                ? name + ";r=" + integer(remaining)
                : name + ";r=" + integer(remaining) + ";t=" + integer(secondsToMore(retryAfter, resetAfter));
    }

    /** When a refused limit would permit the request, else when nothing of it is used. */
    static long secondsToMore(LimitStatus status) {
        return secondsToMore(status.retryAfter(), status.resetAfter());
    }

    private static long secondsToMore(Optional<Duration> retryAfter, Duration resetAfter) {
        return secondsRoundedUp(retryAfter.orElse(resetAfter));
    }

    /** A client that comes after so many seconds never comes too early. */
    static long secondsRoundedUp(Duration duration) {
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
