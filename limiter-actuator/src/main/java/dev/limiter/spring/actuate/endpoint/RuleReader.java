package dev.limiter.spring.actuate.endpoint;

import dev.limiter.RateLimiters;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.key.KeyHash;
import dev.limiter.spring.key.UnresolvedKeys;
import dev.limiter.spring.operate.Change;
import dev.limiter.spring.operate.Changes;
import dev.limiter.spring.operate.Changes.Target;
import dev.limiter.spring.operate.DecidingStorage;
import dev.limiter.spring.operate.DecisionCounts;
import dev.limiter.spring.operate.DemandRecorder;
import dev.limiter.spring.operate.DemandRecorder.Recording;
import dev.limiter.spring.operate.LiveRules;
import dev.limiter.spring.operate.PeakDemand;
import dev.limiter.spring.operate.PeakDemand.Suggestion;
import dev.limiter.spring.operate.RejectedKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Shows rules and their decisions. Thread-safe. */
final class RuleReader {

    private static final int MOST_REJECTED = 10;
    private static final Pattern SHARE = Pattern.compile("([0-9]{1,2}(?:\\.[0-9]{1,6})?) ?%?");

    private final LiveRules rules;
    private final RateLimiters limiters;
    private final Caps caps;
    private final DecisionCounts counts;
    private final RejectedKeys rejected;
    private final DemandRecorder demand;
    private final DecidingStorage storage;
    private final HeldPermitReader held;
    private final KeyHash hash;

    /** Identifies this process: counts start at zero in each, so readers must not compare those of different ones. */
    private final String instance = UUID.randomUUID().toString();

    RuleReader(
            LiveRules rules,
            RateLimiters limiters,
            Caps caps,
            DecisionCounts counts,
            RejectedKeys rejected,
            DemandRecorder demand,
            DecidingStorage storage,
            HeldPermitReader held,
            KeyHash hash) {
        this.held = held;
        this.rules = rules;
        this.limiters = limiters;
        this.caps = caps;
        this.counts = counts;
        this.rejected = rejected;
        this.demand = demand;
        this.storage = storage;
        this.hash = hash;
    }

    /** Returns all rules by name, and the storage. */
    Map<String, Object> all() {
        Map<String, List<RateLimitRule>> byName = new LinkedHashMap<>();
        rules.all()
                .forEach(rule -> byName.computeIfAbsent(rule.name(), name -> new ArrayList<>())
                        .add(rule));
        Map<String, Object> described = new LinkedHashMap<>();
        byName.forEach((name, rules) -> described.put(name, describe(rules)));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("version", rules.version());
        body.put("mode", EnumText.of(rules.mode()));
        Change ofAll = rules.changes().all().get(Changes.ALL_RULES);
        if (ofAll != null) {
            body.put("change", RuleDescription.of(ofAll, null));
        }
        rules.problem().ifPresent(problem -> body.put("problem", problem));
        body.put("instance", instance);
        body.put("storage", storage());
        body.put("waiting", limiters.waiting());
        body.put("rejectedMost", rejectedMost(null));
        body.put("rules", described);
        return body;
    }

    private Map<String, Object> storage() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", storage.name());
        body.put("keys", storage.storage().size());
        if (storage.storage() instanceof FailoverRateLimiterStorage remote) {
            body.put("decides", remote.isAvailable());
            body.put("instances", remote.instances());
        }
        return body;
    }

    /**
     * Describes the rules of one name in full: also their change, the source of each setting, decisions by resource,
     * the most rejected keys, and the holders of permits.
     */
    Map<String, Object> one(List<RateLimitRule> named) {
        Map<String, Object> body = describe(named);
        String name = named.get(0).name();
        rules.changes().of(name).ifPresent(change -> {
            boolean inForce = !rules.skipped().containsKey(new Target(name, null));
            body.put("change", RuleDescription.of(change, null, inForce));
        });
        caps.of(name).ifPresent(cap -> body.put("cap", RuleDescription.of(cap)));
        body.put("sources", SettingOrigins.of(named.get(0)));
        body.put("resources", counts.byResource(name));
        body.put("rejectedMost", rejectedMost(name));
        held.describe(named.get(0), null, body);
        return body;
    }

    /** Describes the settings and decisions of the rules of one name. */
    Map<String, Object> describe(List<RateLimitRule> named) {
        String name = named.get(0).name();
        Map<String, Object> body =
                RuleDescription.of(named, rules.definition(name).orElse(null));
        Changes changes = rules.changes();
        body.put("changed", changes.of(name).isPresent());
        Map<String, Change> ofKeys = changes.ofKeys(name);
        if (!ofKeys.isEmpty()) {
            Map<Target, String> skipped = rules.skipped();
            List<Map<String, Object>> overrides = new ArrayList<>();
            ofKeys.forEach((key, change) -> overrides.add(
                    RuleDescription.of(change, hash.of(key), !skipped.containsKey(new Target(name, key)))));
            body.put("overrides", overrides);
        }
        Map<String, Long> decisions = counts.of(name);
        body.put("decisions", decisions);
        body.put("recentDecisions", counts.recent(name));
        UnresolvedKeys.OfRule unresolved = named.get(0).unresolvedKeys();
        if (unresolved != null && unresolved.sum() > 0) {
            body.put("unresolvedKeys", unresolved(unresolved.sum(), decisions));
        }
        return body;
    }

    /** The share relates to decisions that needed a key. */
    private static Map<String, Object> unresolved(long requests, Map<String, Long> decisions) {
        Map<String, Long> onKeys = new LinkedHashMap<>(decisions);
        onKeys.remove(Outcome.SKIPPED.tag());
        onKeys.remove(Outcome.DENIED.tag());
        long all = Math.max(
                requests, onKeys.values().stream().mapToLong(Long::longValue).sum());
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("requests", requests);
        body.put("share", Math.round(100.0 * requests / all) + "%");
        return body;
    }

    private List<Map<String, Object>> rejectedMost(@Nullable String rule) {
        return rejected.most(rule, MOST_REJECTED).stream()
                .map(RuleDescription::of)
                .toList();
    }

    /**
     * Returns the limit that would have rejected a share of the keys, such as {@code 0.1%}.
     *
     * @throws IllegalArgumentException if the share is invalid, or no demand was recorded
     */
    Map<String, Object> suggestion(RateLimitRule rule, String suggest) {
        double share = share(suggest);
        Recording recording = demand.of(rule.name())
                .orElseThrow(
                        () -> new IllegalArgumentException("No demand has been recorded for this rule. Start recording"
                                + " with POST and \"observe\": true, and try again later."));
        PeakDemand seen = recording.demand();
        Map<String, Object> body = new LinkedHashMap<>(described(seen.suggest(share, null)));
        body.put("window", recording.window().toString());
        body.put("since", recording.since().toString());
        Map<String, Object> tiers = new LinkedHashMap<>();
        seen.tiers().forEach(tier -> tiers.put(tier, described(seen.suggest(share, tier))));
        if (!tiers.isEmpty()) {
            body.put("tiers", tiers);
        }
        return body;
    }

    /** Converts a share such as {@code 0.1%} to a number from 0 to 1. */
    private static double share(String text) {
        Matcher number = SHARE.matcher(text.strip());
        if (!number.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a share of keys: use a percentage from 0% to 99%, such as 0.1%.");
        }
        return Double.parseDouble(number.group(1)) / 100;
    }

    private static Map<String, Object> described(Suggestion suggestion) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("limit", suggestion.limit());
        body.put("keys", suggestion.keys());
        body.put("requests", suggestion.requests());
        return body;
    }
}
