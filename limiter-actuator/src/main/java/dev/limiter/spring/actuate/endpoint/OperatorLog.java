package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.rule.KeyOverride;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells the actions of operators: a line in the log, and an {@link AuditApplicationEvent} for listeners. Thread-safe.
 * Keys of clients are told as hashes.
 */
final class OperatorLog {

    private static final Log logger = LogFactory.getLog(LimiterEndpoint.class);

    private final ApplicationEventPublisher events;
    private final KeyHash hash;
    private final OperationRateLimiter rate = new OperationRateLimiter(System::nanoTime);

    OperatorLog(ApplicationEventPublisher events, KeyHash hash) {
        this.hash = hash;
        this.events = events;
    }

    /** A rule is different from now on. */
    void changed(String rule, Object before, Object after, long version, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.put("version", version);
        data.put("before", before);
        data.put("after", after);
        tell("LIMITER_RULE_CHANGED", data, operator);
    }

    /** A key of a rule is as if it had never asked. */
    void reset(String rule, String key, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.put("keyHash", hash.of(key));
        tell("LIMITER_KEY_RESET", data, operator);
    }

    /** A key of a rule is refused outright for as long as the rule says. */
    void banned(String rule, String key, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.put("keyHash", hash.of(key));
        tell("LIMITER_KEY_BANNED", data, operator);
    }

    /** A key of a rule has another limit for a while. */
    void overridden(String rule, KeyOverride override, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.putAll(RuleDescription.of(override, hash.of(override.key())));
        tell("LIMITER_KEY_OVERRIDDEN", data, operator);
    }

    /** A key of a rule has its limits again. */
    void overrideEnded(String rule, String key, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.put("keyHash", hash.of(key));
        tell("LIMITER_OVERRIDE_ENDED", data, operator);
    }

    /** All rules are as they were before the last change. */
    void undone(long version, Operator operator) {
        Map<String, Object> data = data("all", operator);
        data.put("version", version);
        tell("LIMITER_CHANGE_UNDONE", data, operator);
    }

    /** The changes of this instance have replaced stored ones that could not be read. */
    void repaired(long version, Operator operator) {
        Map<String, Object> data = data("all", operator);
        data.put("version", version);
        tell("LIMITER_CHANGES_REPAIRED", data, operator);
    }

    /** The demand for a rule is recorded from now on, or no more. */
    void observed(String rule, boolean begin, Operator operator) {
        Map<String, Object> data = data(rule, operator);
        data.put("begin", begin);
        tell("LIMITER_DEMAND_OBSERVED", data, operator);
    }

    /**
     * Counts one more operation: each is told, and so they are bounded.
     *
     * @throws OperationRateLimiter.TooManyOperationsException if there were too many within a second
     */
    void admit() {
        rate.admit();
    }

    private static Map<String, Object> data(String rule, Operator operator) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("rule", rule);
        String reason = operator.boundedReason();
        if (reason != null) {
            data.put("reason", reason);
        }
        return data;
    }

    /** {@code data} is of our own making, but for the reason. */
    private void tell(String type, Map<String, Object> data, Operator operator) {
        String name = operator.name();
        Map<String, Object> said = new LinkedHashMap<>(data);
        Object reason = said.remove("reason");
        logger.info(type + " by " + LogText.escape(name) + ": " + said
                + (reason == null ? "" : ", because \"" + LogText.escape(reason.toString()) + "\""));
        try {
            events.publishEvent(new AuditApplicationEvent(name, type, data));
        } catch (RuntimeException failure) {
            logger.warn("A listener of audit events failed; what the operator did stands", failure);
        }
    }
}
