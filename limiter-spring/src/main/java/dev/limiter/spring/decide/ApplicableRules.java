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

/** The rules that apply to a request or call, sorted by what becomes of their decisions. Immutable. */
public final class ApplicableRules {

    public static final ApplicableRules NONE = new ApplicableRules(List.of(), List.of());

    /** The rules that are decided together, all or nothing. */
    final List<RateLimitRule> enforced;
    /** The rules that are decided one by one, without consequences. */
    final List<RateLimitRule> shadow;
    /** Whether the decision may have to wait. */
    final boolean waiting;
    /** Whether a permitted request may hold permits of a concurrency limit. */
    final boolean holding;
    /** Whether the result depends on the key itself: on which share of the keys is enforced, or which are banned. */
    final boolean byKey;
    /** Whether a permitted request needs no other step than its limits, which are decided at once. */
    final boolean onlyLimits;
    /** Whether any charge may be returned later. */
    final boolean settling;
    /** Whether the user or the session of a request may be needed. */
    private final boolean mayReadUser;
    /** The keys of one request, for rules whose result depends on the key. */
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

    /** The rules for one request. What any of them may need is not worked out again. */
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

    /** Rules that are off are left out. */
    public static ApplicableRules of(List<RateLimitRule> rules) {
        return rules.isEmpty() ? NONE : new ApplicableRules(in(Mode.ENFORCE, rules), in(Mode.SHADOW, rules));
    }

    private static List<RateLimitRule> in(Mode mode, List<RateLimitRule> rules) {
        return rules.stream().filter(rule -> rule.mode() == mode).toList();
    }

    private static boolean isByKey(RateLimitRule rule) {
        return rule.isEnforcedInPart() || rule.ban() != null;
    }

    /** These rules for one request: some that are enforced in part may only watch its key. */
    ApplicableRules of(RuleContexts contexts) {
        List<RateLimitRule> rejecting = new ArrayList<>(enforced.size());
        List<RateLimitRule> watching = new ArrayList<>(shadow);
        Map<RateLimitRule, ResolvedKey> keys = new HashMap<>();
        for (RateLimitRule rule : enforced) {
            ResolvedKey key = isByKey(rule) ? key(rule, contexts) : null;
            if (key != null) {
                keys.put(rule, key);
            }
            (key == null || rule.enforces(key) ? rejecting : watching).add(rule);
        }
        return new ApplicableRules(this, rejecting, watching, keys);
    }

    /** Null if it cannot be told: the rule is enforced then, and fails where others do. */
    private static @Nullable ResolvedKey key(RateLimitRule rule, RuleContexts contexts) {
        try {
            return rule.key(contexts.of(rule));
        } catch (RuntimeException undecidable) {
            return null;
        }
    }

    /** The ban of the key of this request; null if the rule never bans it. */
    @Nullable
    Ban ban(RateLimitRule rule) {
        ResolvedKey key = keys.get(rule);
        return key == null ? null : rule.banOf(key);
    }

    /** The candidates that would have been asked about a rejected request if they were in force. */
    List<RateLimitRule> candidatesBeside(Verdict rejected) {
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

    /** Whether the decision may have to wait. */
    public boolean waiting() {
        return waiting;
    }

    /** Returns whether a decision may need the user or the session of a request. */
    public boolean mayReadUser() {
        return mayReadUser;
    }

    /** Whether anything that they take outlasts the request, unlike permits of concurrency limits. */
    public boolean charging() {
        return enforced.stream()
                .flatMap(rule -> Stream.concat(Stream.of(rule.rule()), rule.tiers().values().stream()))
                .anyMatch(rule -> !rule.limits().stream().allMatch(Limit.Concurrency.class::isInstance));
    }

    public boolean isEmpty() {
        return enforced.isEmpty() && shadow.isEmpty();
    }

    /** These rules without those among the others. */
    public ApplicableRules without(List<RateLimitRule> others) {
        if (others.isEmpty()) {
            return this;
        }
        List<RateLimitRule> rejecting = without(others, enforced);
        List<RateLimitRule> watching = without(others, shadow);
        boolean same = rejecting.size() == enforced.size() && watching.size() == shadow.size();
        return same ? this : new ApplicableRules(rejecting, watching);
    }

    private static List<RateLimitRule> without(List<RateLimitRule> others, List<RateLimitRule> rules) {
        return rules.stream()
                .filter(rule -> others.stream().noneMatch(other -> other.name().equals(rule.name())))
                .toList();
    }
}
