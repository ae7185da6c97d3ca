package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.operate.Change;
import java.security.Principal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** The author of a change, and the reason as received. */
record Operator(SecurityContext who, @Nullable String reason) {

    private static final String NOBODY = "anonymous";

    /** In characters. */
    private static final int LONGEST_REASON = 1000;

    private static final int LONGEST_NAME = 100;

    String name() {
        Principal principal = who.getPrincipal();
        return principal == null ? NOBODY : principal.getName();
    }

    /** Returns the requested change, signed by this operator. */
    Change change(RequestedChange wanted, Instant now) {
        String name = name();
        return new Change(
                wanted.settings(),
                0,
                now.truncatedTo(ChronoUnit.MILLIS),
                LogText.escape(name.substring(0, Math.min(name.length(), LONGEST_NAME))),
                boundedReason(),
                wanted.end(now));
    }

    /** Returns the reason for logs and audits: control characters escaped, and cut to its maximum length. */
    @Nullable
    String boundedReason() {
        return reason == null ? null : LogText.escape(reason.substring(0, Math.min(reason.length(), LONGEST_REASON)));
    }
}
