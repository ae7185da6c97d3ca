package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.LogText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Logs the actions of operators, and publishes them as {@link AuditApplicationEvent}s. Thread-safe. */
final class OperatorLog {

    private static final Log logger = LogFactory.getLog(LimiterEndpoint.class);

    private final ApplicationEventPublisher events;

    OperatorLog(ApplicationEventPublisher events) {
        this.events = events;
    }

    /**
     * Logs and publishes an action.
     *
     * @param details must contain hashes instead of client keys, and no text from clients
     */
    void report(String type, String rule, Map<String, ?> details, Operator operator) {
        String name = operator.name();
        String reason = operator.boundedReason();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("rule", rule);
        data.putAll(details);
        data.remove("reason");
        logger.info(type + " by " + LogText.escape(name) + ": " + data
                + (reason == null ? "" : ", because \"" + reason + "\""));
        if (reason != null) {
            data.put("reason", reason);
        }
        try {
            events.publishEvent(new AuditApplicationEvent(name, type, data));
        } catch (RuntimeException failure) {
            logger.warn("A listener of audit events failed; the change is in effect", failure);
        }
    }
}
