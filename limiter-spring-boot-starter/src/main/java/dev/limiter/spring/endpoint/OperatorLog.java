package dev.limiter.spring.endpoint;

import dev.limiter.spring.key.KeyHash;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells what operators did: a line in the log, and an {@link AuditApplicationEvent} for whoever listens. Thread-safe. Keys of
 * clients are told as hashes.
 */
final class OperatorLog {

    private static final Log logger = LogFactory.getLog(LimiterEndpoint.class);
    private static final String NOBODY = "anonymous";

    private final ApplicationEventPublisher events;

    OperatorLog(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** A rule is different from now on. */
    void changed(String rule, Object before, Object after, long version, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.put("version", version);
        data.put("before", before);
        data.put("after", after);
        tell("LIMITER_RULE_CHANGED", data, who);
    }

    /** A key of a rule is as if it had never asked. */
    void reset(String rule, String key, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.put("keyHash", KeyHash.of(key));
        tell("LIMITER_KEY_RESET", data, who);
    }

    private static Map<String, Object> data(String rule, @Nullable String reason) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("rule", rule);
        if (reason != null) {
            data.put("reason", reason);
        }
        return data;
    }

    private void tell(String type, Map<String, Object> data, SecurityContext who) {
        Principal principal = who.getPrincipal();
        String name = principal == null ? NOBODY : principal.getName();
        logger.info(type + " by " + oneLine(name) + ": " + oneLine(data.toString()));
        events.publishEvent(new AuditApplicationEvent(name, type, data));
    }

    /** Reasons and names come from outside: none of them makes a line of its own. */
    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
