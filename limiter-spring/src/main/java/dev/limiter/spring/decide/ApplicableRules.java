package dev.limiter.spring.decide;

import dev.limiter.Limit;
import dev.limiter.spring.compile.Ban;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.rule.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules that apply to a request or call, split into enforced and shadow rules. Immutable. */
public final class ApplicableRules {

    public static final ApplicableRules NONE = new ApplicableRules(List.of(), List.of());

    /** Rules that are decided together, all or nothing. */
    final List<RateLimitRule> enforced;
    /** Rules that are decided one by one, without effect. */
    final List<RateLimitRule> shadow;
    /** True if requests may wait. */
    final boolean waiting;
    /** True if a permitted request may hold permits of a concurrency limit. */
    final boolean holding;
    /** True if a rollout or a ban makes the result depend on the key. */
    final boolean byKey;
    /** True if limits are the only step of a decision, and never wait. */
    final boolean onlyLimits;
    /** True if a charge may be refunded later. */
    final boolean settling;
    /** Whether the user or the session of a request may be needed. */
    private final boolean mayReadUser;
    /** The keys of one request, for rules with a rollout or a ban. */
    final Map<RateLimitRule, ResolvedKey> keys;

    private ApplicableRules(List<RateLimitRule> enforced, List<RateLimitRule> shadow) {
        this.enforced = enforced;
        this.shadow = shadow;
        this.waiting = enforced.stream().anyMatch(RateLimitRule::makesWait);
        this.holding = enforced.stream().anyMatch(RateLimitRule::limitsConcurrency);
        this.byKey = enforced.stream().anyMatch(ApplicableRules::isByKey);
        this.onlyLimits = shadow.isEmpty()
                && enforced.stream()
                        .noneMatch(rule -> rule.makesWait() || rule.hasDeniedAddresses() || rule.ban() != null);
        this.settling = enforced.stream().anyMatch(rule -> rule.chargeIf() != null);
        this.mayReadUser = Stream.of(enforced, shadow).flatMap(List::stream).anyMatch(RateLimitRule::mayReadUser);
        this.keys = Map.of();
    }

    /** Narrows the rules to one request, reusing what was computed for all. */
    private ApplicableRules(
            ApplicableRules all,
            List<RateLimitRule> enforced,
            List<RateLimitRule> shadow,
            Map<RateLimitRule, ResolvedKey> keys) {
        this.enforced = enforced;
        this.shadow = shadow;
        this.waiting = all.waiting && enforced.stream().anyMatch(RateLimitRule::makesWait);
        this.holding = all.holding;
        this.byKey = all.byKey;
        this.onlyLimits = all.onlyLimits && shadow.isEmpty();
        this.settling = all.settling;
        this.mayReadUser = all.mayReadUser;
        this.keys = keys;
    }

    /** Returns the rules without the ones that are off. */
    public static ApplicableRules of(List<RateLimitRule> rules) {
        return rules.isEmpty() ? NONE : new ApplicableRules(in(Mode.ENFORCE, rules), in(Mode.SHADOW, rules));
    }

    private static List<RateLimitRule> in(Mode mode, List<RateLimitRule> rules) {
        return rules.stream().filter(rule -> rule.mode() == mode).toList();
    }

    private static boolean isByKey(RateLimitRule rule) {
        return rule.isEnforcedInPart() || rule.ban() != null;
    }

    /** Returns the rules for one request. A rule with a rollout becomes a shadow rule for some keys. */
    ApplicableRules of(RuleContexts contexts) {
        List<RateLimitRule> live = new ArrayList<>(enforced.size());
        List<RateLimitRule> watching = new ArrayList<>(shadow);
        Map<RateLimitRule, ResolvedKey> keys = new HashMap<>();
        for (RateLimitRule rule : enforced) {
            ResolvedKey key = isByKey(rule) ? key(rule, contexts) : null;
            if (key != null) {
                keys.put(rule, key);
            }
            (key == null || rule.enforces(key) ? live : watching).add(rule);
        }
        return new ApplicableRules(this, live, watching, keys);
    }

    /** Returns the key; null if it fails to resolve. The rule is then enforced, and fails where others do. */
    private static @Nullable ResolvedKey key(RateLimitRule rule, RuleContexts contexts) {
        try {
            return rule.key(contexts.of(rule));
        } catch (RuntimeException undecidable) {
            return null;
        }
    }

    /** Returns the ban that applies to the key of this request; null if the rule never bans it. */
    @Nullable
    Ban ban(RateLimitRule rule) {
        ResolvedKey key = keys.get(rule);
        return key == null ? null : rule.banOf(key);
    }

    /** Returns the candidates of the rule that rejected a request. */
    List<RateLimitRule> candidatesOf(Verdict rejected) {
        return shadow.isEmpty()
                ? shadow
                : shadow.stream()
                        .filter(rule -> rule.live() != null && rejected.isBy(rule.live()))
                        .toList();
    }

    public List<RateLimitRule> enforced() {
        return enforced;
    }

    public List<RateLimitRule> shadow() {
        return shadow;
    }

    /** Returns whether requests may wait. */
    public boolean waiting() {
        return waiting;
    }

    /** Returns whether a decision may need the user or the session of a request. */
    public boolean mayReadUser() {
        return mayReadUser;
    }

    /** Returns whether a rule takes permits that outlast the request, unlike those of concurrency limits. */
    public boolean charging() {
        return enforced.stream()
                .flatMap(rule -> Stream.concat(Stream.of(rule.rule()), rule.tiers().values().stream()))
                .anyMatch(rule -> !rule.limits().stream().allMatch(Limit.Concurrency.class::isInstance));
    }

    public boolean isEmpty() {
        return enforced.isEmpty() && shadow.isEmpty();
    }

    /** Returns these rules without some others. */
    public ApplicableRules without(List<RateLimitRule> others) {
        if (others.isEmpty()) {
            return this;
        }
        List<RateLimitRule> live = without(others, enforced);
        List<RateLimitRule> watching = without(others, shadow);
        boolean same = live.size() == enforced.size() && watching.size() == shadow.size();
        return same ? this : new ApplicableRules(live, watching);
    }

    private static List<RateLimitRule> without(List<RateLimitRule> others, List<RateLimitRule> rules) {
        return rules.stream()
                .filter(rule -> others.stream().noneMatch(other -> other.name().equals(rule.name())))
                .toList();
    }
}
