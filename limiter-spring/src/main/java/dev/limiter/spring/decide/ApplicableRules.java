package dev.limiter.spring.decide;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.rule.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules that apply to a resource, sorted by what becomes of their decisions. Immutable.
 *
 * @param enforced decided together, all or nothing
 * @param shadow decided one by one, without consequences
 * @param waiting whether the decision may have to wait
 * @param holding whether a permitted request may hold permits of a concurrency limit
 * @param partial whether what is enforced depends on the key
 * @param denying whether any address may be refused outright
 * @param banning whether any key may be banned
 * @param settling whether any charge may be returned later
 * @param keys those of one request, of rules that are enforced in part
 */
public record ApplicableRules(
        List<RateLimitRule> enforced,
        List<RateLimitRule> shadow,
        boolean waiting,
        boolean holding,
        boolean partial,
        boolean denying,
        boolean banning,
        boolean settling,
        Map<RateLimitRule, String> keys) {

    public static final ApplicableRules NONE = new ApplicableRules(List.of(), List.of());

    private ApplicableRules(List<RateLimitRule> enforced, List<RateLimitRule> shadow) {
        this(enforced, shadow, Map.of());
    }

    private ApplicableRules(List<RateLimitRule> enforced, List<RateLimitRule> shadow, Map<RateLimitRule, String> keys) {
        this(
                enforced,
                shadow,
                enforced.stream().anyMatch(RateLimitRule::makesWait),
                enforced.stream().anyMatch(RateLimitRule::limitsConcurrency),
                enforced.stream().anyMatch(RateLimitRule::isEnforcedInPart),
                enforced.stream().anyMatch(RateLimitRule::hasDeniedAddresses),
                enforced.stream().anyMatch(rule -> rule.ban() != null),
                enforced.stream().anyMatch(rule -> rule.chargeIf() != null),
                keys);
    }

    /** Rules that are off are left out. */
    public static ApplicableRules of(List<RateLimitRule> rules) {
        return rules.isEmpty() ? NONE : new ApplicableRules(in(Mode.ENFORCE, rules), in(Mode.SHADOW, rules));
    }

    private static List<RateLimitRule> in(Mode mode, List<RateLimitRule> rules) {
        return rules.stream().filter(rule -> rule.mode() == mode).toList();
    }

    /** The same for one request: some rules may only watch its key. */
    ApplicableRules of(RateLimitContext context) {
        if (!partial) {
            return this;
        }
        List<RateLimitRule> refusing = new ArrayList<>(enforced.size());
        List<RateLimitRule> watching = new ArrayList<>(shadow);
        Map<RateLimitRule, String> keys = new HashMap<>();
        for (RateLimitRule rule : enforced) {
            String key = rule.isEnforcedInPart() ? key(rule, context) : null;
            if (key != null) {
                keys.put(rule, key);
            }
            (key == null || rule.enforces(key) ? refusing : watching).add(rule);
        }
        return new ApplicableRules(refusing, watching, keys);
    }

    /** Null if it cannot be told: the rule is enforced then, and fails where others do. */
    private static @Nullable String key(RateLimitRule rule, RateLimitContext context) {
        try {
            return rule.key(context);
        } catch (RuntimeException undecidable) {
            return null;
        }
    }

    /** The candidates that would have been asked about a refused request if they were in force. */
    List<RateLimitRule> candidatesBeside(Verdict refused) {
        return shadow.isEmpty()
                ? List.of()
                : shadow.stream()
                        .filter(rule -> rule.live() != null && refused.isBy(rule.live()))
                        .toList();
    }

    public boolean isEmpty() {
        return enforced.isEmpty() && shadow.isEmpty();
    }

    /** The same without the enforced rules of that name. */
    public ApplicableRules without(List<RateLimitRule> others) {
        if (others.isEmpty() || enforced.isEmpty()) {
            return this;
        }
        List<RateLimitRule> rest = enforced.stream()
                .filter(rule -> others.stream().noneMatch(other -> other.name().equals(rule.name())))
                .toList();
        return rest.size() == enforced.size() ? this : new ApplicableRules(rest, shadow);
    }
}
