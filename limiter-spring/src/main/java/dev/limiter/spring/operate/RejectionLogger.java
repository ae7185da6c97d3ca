package dev.limiter.spring.operate;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.spring.failure.LogText;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs each request or call that is rejected, or would be, at level debug of the logger {@value #NAME}. A line has
 * fields such as {@code rule=login}, and a hash of the key; at level trace also the key itself and the client.
 * Thread-safe.
 */
public final class RejectionLogger implements RateLimitListener {

    /** The name of the logger. */
    public static final String NAME = "dev.limiter.rejections";

    private static final Log logger = LogFactory.getLog(NAME);
    private static final Set<Outcome> LOGGED = EnumSet.of(
            Outcome.REJECTED, Outcome.BANNED, Outcome.DENIED, Outcome.SHADOW_REJECTED, Outcome.FAILED_CLOSED);

    @Override
    public void onDecision(RateLimitEvent event) {
        logger.debug(logger.isTraceEnabled() ? line(event) + secrets(event) : line(event));
    }

    @Override
    public boolean hears(Outcome outcome) {
        return LOGGED.contains(outcome) && logger.isDebugEnabled();
    }

    static String line(RateLimitEvent event) {
        Decision decision = event.decision();
        StringBuilder line = new StringBuilder(event.outcome().tag());
        append(line, "rule", event.rule());
        append(line, "limit", decision == null ? null : rejecting(decision));
        append(line, "tier", event.tier());
        append(line, "resource", event.resource());
        append(line, "key", event.keyHash());
        append(
                line,
                "retryAfter",
                decision == null
                        ? null
                        : decision.retryAfter().map(Object::toString).orElse(null));
        return line.toString();
    }

    /** Returns the sensitive fields. */
    private static String secrets(RateLimitEvent event) {
        StringBuilder line = new StringBuilder();
        append(line, "plainKey", event.key());
        append(line, "address", event.address());
        append(line, "principal", event.principal());
        return line.toString();
    }

    /** Returns the limits that rejected; null if there are none. */
    private static @Nullable String rejecting(Decision decision) {
        String rejecting = decision.limits().stream()
                .filter(limit -> !limit.permitted())
                .map(LimitStatus::policy)
                .collect(Collectors.joining(","));
        return rejecting.isEmpty() ? null : rejecting;
    }

    private static void append(StringBuilder line, String name, @Nullable String value) {
        if (value != null) {
            String text = LogText.escape(value);
            line.append(' ').append(name).append('=');
            if (text.indexOf(' ') < 0) {
                line.append(text);
            } else {
                line.append('"').append(text.replace("\"", "'")).append('"');
            }
        }
    }
}
