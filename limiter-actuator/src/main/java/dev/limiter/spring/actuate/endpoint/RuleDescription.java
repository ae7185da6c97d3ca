package dev.limiter.spring.actuate.endpoint;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.Caps.Cap;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.RejectedKeys.RejectedKey;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.time.Duration;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts rules, limits and keys to maps of texts and numbers for any JSON mapper. Durations are ISO-8601. */
final class RuleDescription {

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    private RuleDescription() {}

    /**
     * Describes the rules of one name, which all have the same settings.
     *
     * @param definition the definition outside of annotations, if there is one
     */
    static Map<String, Object> of(List<RateLimitRule> rules, @Nullable RuleDefinition definition) {
        RateLimitRule rule = rules.get(0);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("origin", rules.stream().map(RateLimitRule::origin).distinct().collect(Collectors.joining(", ")));
        body.put("mode", EnumText.of(rule.mode()));
        put(body, "rollout", rule.isEnforcedInPart() ? rule.rollout().toString() : null);
        put(body, "candidateOf", rule.live());
        put(body, "paths", definition == null ? null : definition.value(RuleOptions.PATHS));
        put(body, "methods", definition == null ? null : definition.value(RuleOptions.METHODS));
        put(body, "routes", definition == null ? null : definition.value(RuleOptions.ROUTES));
        body.put("scope", EnumText.of(rule.scope()));
        body.put("key", rule.keyParts());
        body.put("limits", limits(rule.rule()));
        if (!rule.tiers().isEmpty()) {
            Map<String, Object> tiers = new LinkedHashMap<>();
            rule.tiers().forEach((tier, limits) -> tiers.put(tier, limits(limits)));
            body.put("tiers", tiers);
        }
        return body;
    }

    /** Describes the settings that can be changed at the endpoint. */
    static Map<String, Object> settings(List<RateLimitRule> rules) {
        RateLimitRule rule = rules.get(0);
        return Map.of(
                "mode", EnumText.of(rule.mode()), "rollout", rule.rollout().toString(), "limits", limits(rule.rule()));
    }

    private static List<Map<String, Object>> limits(Rule rule) {
        List<Map<String, Object>> limits = new ArrayList<>();
        for (int i = 0; i < rule.limits().size(); i++) {
            limits.add(limit(rule.policies().get(i), rule.limits().get(i)));
        }
        return limits;
    }

    private static Map<String, Object> limit(String policy, Limit limit) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("policy", policy);
        body.put(LimitOptions.ALGORITHM.attribute(), EnumText.of(limit.algorithm()));
        LimitOptions.OF_RULE.forEach(option -> put(body, option.attribute(), shown(option.in(limit))));
        return body;
    }

    private static @Nullable Object shown(@Nullable Object value) {
        if (value instanceof Enum<?> constant) {
            return EnumText.of(constant);
        }
        return value instanceof TemporalAmount time ? time.toString() : value;
    }

    /**
     * Describes the state of a key.
     *
     * @param ban the decision of {@link Ban#bans()}; null if the rule bans no keys
     */
    static Map<String, Object> of(RateLimitRule rule, Decision decision, @Nullable Decision ban) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("origin", rule.origin());
        boolean banned = ban != null && Ban.isInForce(ban);
        body.put("used", banned || isUsed(decision));
        body.put("permitted", decision.permitted() && !banned);
        if (ban != null) {
            body.put("banned", banned);
            if (banned) {
                ban.retryAfter().ifPresent(rest -> body.put("banEndsAfter", rest.toString()));
            }
        }
        putOnFailure(body, decision);
        body.put("limits", limits(decision));
        return body;
    }

    /** Adds the local fallback, if it made the decision: the remaining permits are then the share of this instance. */
    static void putOnFailure(Map<String, Object> body, Decision decision) {
        decision.onFailure().ifPresent(how -> body.put("onFailure", EnumText.of(how)));
    }

    /** Describes the state of each limit. Permits in flight are left out of local decisions, which see one instance. */
    static List<Map<String, Object>> limits(Decision decision) {
        List<Map<String, Object>> limits = new ArrayList<>();
        List<Limit> asked = decision.rule().limits();
        List<LimitStatus> statuses = decision.limits();
        for (int i = 0; i < asked.size(); i++) {
            LimitStatus status = statuses.get(i);
            Map<String, Object> limit = limit(status.policy(), asked.get(i));
            limit.put("permitted", status.permitted());
            limit.put("remaining", status.remaining());
            if (asked.get(i) instanceof Limit.Concurrency
                    && decision.onFailure().isEmpty()) {
                limit.put("inFlight", Math.max(asked.get(i).limit() - status.remaining(), 0));
            }
            status.retryAfter().ifPresent(wait -> limit.put("retryAfter", wait.toString()));
            put(limit, "resetAfter", text(status.resetAfter()));
            limits.add(limit);
        }
        return limits;
    }

    /** Returns whether any permits are used. */
    static boolean isUsed(Decision decision) {
        return decision.limits().stream()
                .anyMatch(limit -> !limit.permitted()
                        || !limit.resetAfter().isZero()
                        || limit.remaining() < PermitArithmetic.atOnce(limit.limit()));
    }

    /** Describes one of the most rejected keys by its hash, with the caller that was rejected last. */
    static Map<String, Object> of(RejectedKey rejected) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("rule", rejected.rule());
        body.put("keyHash", rejected.keyHash());
        body.put("rejections", rejected.rejections());
        if (rejected.error() > 0) {
            body.put("atMostTooMany", rejected.error());
        }
        if (rejected.address() != null) {
            body.put("address", rejected.address());
        }
        if (rejected.principal() != null) {
            body.put("principal", rejected.principal());
        }
        return body;
    }

    /**
     * Describes a change and its author.
     *
     * @param hash of the key; null for the change of a rule, or if the key is already known to the reader
     */
    static Map<String, Object> of(Change change, @Nullable String hash) {
        Map<String, Object> body = new LinkedHashMap<>();
        put(body, "keyHash", hash);
        change.settings()
                .forEach((path, text) -> body.put(path, NUMBER.matcher(text).matches() ? Long.valueOf(text) : text));
        put(body, "until", change.until() == null ? null : change.until().toString());
        put(body, "reason", change.reason());
        body.put("version", change.version());
        body.put("at", change.at().toString());
        body.put("by", change.by());
        return body;
    }

    /** Describes a change, marked if it is not in force. */
    static Map<String, Object> of(Change change, @Nullable String hash, boolean inForce) {
        Map<String, Object> body = of(change, hash);
        if (!inForce) {
            body.put("inForce", false);
        }
        return body;
    }

    static Map<String, Object> of(Cap cap) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("limit", cap.limit());
        body.put("window", cap.window().toString());
        body.put("from", cap.where());
        return body;
    }

    private static @Nullable String text(Duration duration) {
        return duration.isZero() ? null : duration.toString();
    }

    private static void put(Map<String, Object> body, String name, @Nullable Object value) {
        if (value != null) {
            body.put(name, value);
        }
    }
}
