package dev.limiter.spring.endpoint;

import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.rule.KeyOverride;
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

    /** In characters. */
    private static final int LONGEST_REASON = 1000;

    private final ApplicationEventPublisher events;
    private final KeyHash hash;

    OperatorLog(ApplicationEventPublisher events, KeyHash hash) {
        this.hash = hash;
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
        data.put("keyHash", hash.of(key));
        tell("LIMITER_KEY_RESET", data, who);
    }

    /** A key of a rule is refused outright for as long as the rule says. */
    void banned(String rule, String key, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.put("keyHash", hash.of(key));
        tell("LIMITER_KEY_BANNED", data, who);
    }

    /** A key of a rule has another limit for a while. */
    void overridden(String rule, KeyOverride override, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.putAll(RuleDescription.of(override, hash.of(override.key())));
        tell("LIMITER_KEY_OVERRIDDEN", data, who);
    }

    /** A key of a rule has its limits again. */
    void overrideEnded(String rule, String key, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.put("keyHash", hash.of(key));
        tell("LIMITER_OVERRIDE_ENDED", data, who);
    }

    /** All rules are as they were before the last change. */
    void undone(long version, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data("all", reason);
        data.put("version", version);
        tell("LIMITER_CHANGE_UNDONE", data, who);
    }

    /** The demand for a rule is recorded from now on, or no more. */
    void observed(String rule, boolean begin, SecurityContext who, @Nullable String reason) {
        Map<String, Object> data = data(rule, reason);
        data.put("begin", begin);
        tell("LIMITER_DEMAND_OBSERVED", data, who);
    }

    static @Nullable String bounded(@Nullable String reason) {
        return reason != null && reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
    }

    private static Map<String, Object> data(String rule, @Nullable String reason) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("rule", rule);
        if (reason != null) {
            data.put("reason", String.valueOf(bounded(reason)));
        }
        return data;
    }

    /** {@code data} is of our own making, but for the reason. */
    private void tell(String type, Map<String, Object> data, SecurityContext who) {
        Principal principal = who.getPrincipal();
        String name = principal == null ? NOBODY : principal.getName();
        Map<String, Object> said = new LinkedHashMap<>(data);
        Object reason = said.remove("reason");
        logger.info(type + " by " + LogText.escape(name) + ": " + said
                + (reason == null ? "" : ", because \"" + LogText.escape(reason.toString()) + "\""));
        events.publishEvent(new AuditApplicationEvent(name, type, data));
    }
}
