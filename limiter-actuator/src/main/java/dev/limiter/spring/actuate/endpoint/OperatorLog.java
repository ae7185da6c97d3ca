package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.LogText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Reports the actions of operators: a line in the log, and an {@link AuditApplicationEvent} for listeners. Thread-safe.
 */
final class OperatorLog {

    private static final Log logger = LogFactory.getLog(LimiterEndpoint.class);

    private final ApplicationEventPublisher events;

    OperatorLog(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** {@code details}: no keys of clients, but their hashes, and no text of others. */
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
            logger.warn("A listener of audit events failed; what the operator did stands", failure);
        }
    }
}
