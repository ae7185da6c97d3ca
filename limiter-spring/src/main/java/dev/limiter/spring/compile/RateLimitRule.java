package dev.limiter.spring.compile;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.context.CodeCall;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.key.ResolvedKey;
import dev.limiter.spring.key.UnresolvedKeys;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A compiled rule: expressions, key and patterns are parsed. Immutable, thread-safe. */
public final class RateLimitRule {

    /** The kinds of keys that need the user or the session of a request, or may need it. */
    private static final Set<String> READ_USER = Set.of("principal", "session", "other");

    /** The options whose expressions or beans may need them. */
    private static final Set<Option<?>> USER_OPTIONS = Set.of(
            RuleOptions.CONDITION,
            RuleOptions.PRIORITY,
            RuleOptions.TIER_BY,
            RuleOptions.LIMIT_RESOLVER,
            RuleOptions.CHARGE_IF);

    private final RuleDefinition definition;
    private final Scope scope;
    private final Limits limits;
    private final Requests requests;
    private final Charging charging;
    private final Enforcement enforcement;
    private final ResponseOptions responses;
    private final @Nullable String live;
    private final @Nullable Charge fixedCharge;
    private final boolean limitsConcurrency;
    private final boolean forAll;
    private final boolean alwaysAtOnce;
    private final boolean mayReadUser;

    /** The limits that apply: the rule's own, or the ones of a tier, a resolver or a single key. */
    public record Limits(
            Rule rule, @Nullable Tiers tiers, @Nullable ResolvedLimits resolved, Map<String, Rule> overrides) {}

    /** The requests that the rule applies to. */
    public record Requests(RequestMatcher matcher, AddressLists addresses, BooleanExpression condition) {}

    /**
     * How requests are charged; {@code unresolved}: null if unresolved keys are not counted; {@code chargeIf}: null if
     * all requests stay charged.
     */
    public record Charging(
            RateLimitKey key,
            UnresolvedKeys.@Nullable OfRule unresolved,
            Costs costs,
            @Nullable ChargeIf chargeIf,
            Waiting waiting) {}

    /** The effect of rejections; {@code ban}: null if the rule bans no key. */
    public record Enforcement(
            Mode mode, Rollout rollout, @Nullable Ban ban) {}

    /** The options of responses; {@code forServer}: true if the limits protect the application. */
    public record ResponseOptions(HeaderStyle headers, boolean forServer) {}

    /** {@code live}: the name of the rule that this candidate belongs to; null if it is not a candidate. */
    public RateLimitRule(
            RuleDefinition definition,
            Scope scope,
            Limits limits,
            Requests requests,
            Charging charging,
            Enforcement enforcement,
            ResponseOptions responses,
            @Nullable String live) {
        this.definition = definition;
        this.scope = scope;
        this.limits = limits;
        this.requests = requests;
        this.charging = charging;
        this.enforcement = enforcement;
        this.responses = responses;
        this.live = live;
        this.forAll = charging.key.isForAll();
        this.alwaysAtOnce = charging.waiting.isFixed() && !charging.waiting.isPossible();
        this.fixedCharge = fixedCharge();
        this.mayReadUser = findsUser();
        this.limitsConcurrency =
                limitsConcurrency(limits.rule) || tiers().values().stream().anyMatch(RateLimitRule::limitsConcurrency);
    }

    private @Nullable Charge fixedCharge() {
        ResolvedKey constant = charging.key.constant();
        boolean sameForAll = limits.tiers == null && limits.resolved == null && limits.overrides.isEmpty();
        return constant != null && charging.costs.isFixed() && sameForAll && charging.waiting.isFixed()
                ? charging.waiting.first(refundable(charging.costs.fixed(limits.rule, constant.text())))
                : null;
    }

    private Charge refundable(Charge charge) {
        return charging.chargeIf == null ? charge : charge.refundable(true);
    }

    /**
     * Returns the name as configured, or the display name of the annotated method; {@code default} for the automatic
     * limit.
     */
    public String name() {
        return limits.rule.name();
    }

    /** Returns the rule's own limits, as a core rule. */
    public Rule rule() {
        return limits.rule;
    }

    /** Returns the limits of each tier by name: core rules of the same name with as many limits. */
    public Map<String, Rule> tiers() {
        return limits.tiers == null ? Map.of() : limits.tiers.rules();
    }

    /** Returns the weaker of the rule's own mode and the mode of all rules. */
    public Mode mode() {
        return enforcement.mode;
    }

    /** Returns the share of keys for which the rule is enforced. */
    public Rollout rollout() {
        return enforcement.rollout;
    }

    /** Returns whether the rule is enforced for some keys only. */
    public boolean isEnforcedInPart() {
        return enforcement.rollout.isPartial();
    }

    /**
     * Returns the key of a request or call.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if it cannot be evaluated
     */
    public ResolvedKey key(RateLimitContext context) {
        return charging.key.resolve(context);
    }

    /** Returns whether the rule is enforced for a key. For other keys it is a shadow rule. */
    public boolean enforces(ResolvedKey key) {
        return !enforcement.rollout.isPartial() || enforcement.rollout.contains(key.client());
    }

    /** Returns the name of the rule that this candidate belongs to; null if it is not a candidate. */
    public @Nullable String live() {
        return live;
    }

    public HeaderStyle headers() {
        return responses.headers;
    }

    /** Returns where the rule was defined. */
    public String origin() {
        return definition.origin().toString();
    }

    public RuleDefinition definition() {
        return definition;
    }

    public Scope scope() {
        return scope;
    }

    /** Returns the phase in which the rule decides, if it has paths. */
    public Phase phase() {
        return requests.matcher.phase;
    }

    /**
     * Returns the counter of requests without a value for a key part. Null without a key, and for a candidate, which
     * has the key of its rule.
     */
    public UnresolvedKeys.@Nullable OfRule unresolvedKeys() {
        return charging.unresolved;
    }

    /** Returns whether all callers share one bucket; {@code ofRequest}: where no code passes a key. */
    public boolean isForAll(boolean ofRequest) {
        return forAll || ofRequest && charging.key == RateLimitKey.IN_CODE;
    }

    /** Returns the kinds of values that divide its buckets, as {@link RateLimitKey#kinds()}. */
    public List<String> keyKinds() {
        return charging.key.kinds();
    }

    /** Returns the types of the parts of its keys, as {@link RateLimitKey#partTypes()}. */
    public List<String> keyParts() {
        return charging.key.partTypes();
    }

    /** Returns whether the limits protect the application, so a client did not necessarily cause a rejection. */
    public boolean protectsApplication() {
        return responses.forServer;
    }

    /**
     * Returns whether a decision may need the user or the session of a request, as far as the settings show: beans and
     * expressions may read anything.
     */
    public boolean mayReadUser() {
        return mayReadUser;
    }

    private boolean findsUser() {
        return charging.key.kinds().stream().anyMatch(READ_USER::contains)
                || USER_OPTIONS.stream().anyMatch(option -> definition.value(option) != null)
                || !charging.costs.isFixed();
    }

    /** Returns whether requests may wait for a permit. */
    public boolean makesWait() {
        return charging.waiting.isPossible();
    }

    /** Returns whether any limit of the rule or of one of its tiers is a concurrency limit. */
    public boolean limitsConcurrency() {
        return limitsConcurrency;
    }

    private static boolean limitsConcurrency(Rule limited) {
        return limited.limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    /** Returns whether the rule has paths, so that it applies to requests without an annotation. */
    public boolean appliesByPath() {
        return requests.matcher.paths != null;
    }

    /** Returns the requests that the rule applies to by path; none without paths. */
    public RequestMatcher matcher() {
        return requests.matcher;
    }

    /** Returns the condition under which permits stay charged; null if they always do. */
    public @Nullable ChargeIf chargeIf() {
        return charging.chargeIf;
    }

    /** Returns the name of the tier with exactly these limits; null for the rule's own limits and resolved ones. */
    @SuppressWarnings("ReferenceEquality") // two tiers may have the same limits
    public @Nullable String tierOf(Rule applicable) {
        for (Map.Entry<String, Rule> tier : tiers().entrySet()) {
            if (tier.getValue() == applicable) {
                return tier.getKey();
            }
        }
        return null;
    }

    /** Returns the ban of keys; null if the rule bans none. */
    public @Nullable Ban ban() {
        return enforcement.ban;
    }

    /** Returns the ban of a key; null if the key is never banned, such as the shared key of unidentified clients. */
    public @Nullable Ban banOf(ResolvedKey key) {
        return key.unresolved() ? null : enforcement.ban;
    }

    /** Returns whether the rule has a deny list. */
    public boolean hasDeniedAddresses() {
        return !requests.addresses.deny().isEmpty();
    }

    /** Returns whether the client's address is on the deny list. */
    public boolean denies(RateLimitContext context) {
        return requests.addresses.deny(context);
    }

    /**
     * Returns the option that exempts the request: {@code allow} or {@code condition}; null if neither does.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if they cannot be evaluated
     */
    public @Nullable String exemption(RateLimitContext context) {
        if (requests.addresses.allow(context)) {
            return RuleOptions.ALLOW.name();
        }
        return requests.condition.evaluate(context) ? null : RuleOptions.CONDITION.name();
    }

    /**
     * Returns the charge of a request; null if its tier is unlimited.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if key, cost, limit, tier or priority cannot be
     *     evaluated
     */
    public @Nullable Charge charge(RateLimitContext context) {
        return charge(null, context);
    }

    /** Returns {@link #charge(RateLimitContext)}, reusing a {@link #key} that is already resolved. */
    public @Nullable Charge charge(@Nullable ResolvedKey known, RateLimitContext context) {
        if (fixedCharge != null && context.key() == null) {
            return fixedCharge;
        }
        return charge(known, context, false);
    }

    /** Returns the {@link #charge} of a hypothetical request, without counting or caching anything. */
    public @Nullable Charge predictedCharge(ResolvedKey known, RateLimitContext context) {
        return charge(known, context, true);
    }

    private @Nullable Charge charge(@Nullable ResolvedKey known, RateLimitContext context, boolean prediction) {
        Rule applicable = limits.tiers == null ? limits.rule : limits.tiers.select(context, limits.rule);
        if (applicable == null && limits.overrides.isEmpty()) {
            return null;
        }
        ResolvedKey key = known == null ? charging.key.resolve(context) : known;
        if (!prediction && charging.unresolved != null) {
            charging.unresolved.count(key);
        }
        String whose = key.text();
        Rule overridden = limits.overrides.get(whose);
        if (overridden != null) {
            applicable = overridden;
        } else if (applicable != null && limits.resolved != null) {
            applicable = prediction
                    ? limits.resolved.prediction(whose, context, applicable)
                    : limits.resolved.of(whose, context, applicable);
        }
        if (applicable == null) {
            return null;
        }
        return context instanceof CodeCall call
                ? chargeInCode(applicable, whose, call)
                : onTerms(charging.costs.charge(applicable, whose, context), context);
    }

    private Charge chargeInCode(Rule applicable, String key, CodeCall call) {
        Long permits = call.permits();
        Charge charge = onTerms(
                permits == null ? charging.costs.charge(applicable, key, call) : applicable.charge(key, permits), call);
        return call.mayWait() ? charge : charge.maxWait(Duration.ZERO);
    }

    private Charge onTerms(Charge charge, RateLimitContext context) {
        Charge refundable = refundable(charge);
        return alwaysAtOnce ? refundable : charging.waiting.apply(refundable, context);
    }

    /**
     * Returns the limits of a key without a tier: its override, else its last resolved limits, else the rule's own.
     */
    public Rule limitsOf(String whole) {
        return limitsOf(whole, limits.rule);
    }

    /** Returns the limits of a key in a tier with the given limits. */
    public Rule limitsOf(String whole, Rule tier) {
        Rule overridden = limits.overrides.get(whole);
        if (overridden != null) {
            return overridden;
        }
        Rule resolved = limits.resolved == null ? tier : limits.resolved.last(whole, tier);
        return resolved == null ? tier : resolved;
    }

    /** Returns the limits of keys with an override. */
    public Map<String, Rule> overrides() {
        return limits.overrides;
    }

    /** Returns the key for a text that an operator entered, see {@link RateLimitKey#ofInput}. */
    public Optional<ResolvedKey> keyOf(@Nullable String text, @Nullable String resource) {
        return charging.key.ofInput(text, resource);
    }

    /** Returns the core rules that count a key: its limits, and the ones of its ban. */
    public List<Rule> counted() {
        Ban ban = enforcement.ban;
        return ban == null ? List.of(limits.rule) : List.of(limits.rule, ban.rejections(), ban.bans());
    }

    /**
     * Returns the charge of a request for which the expressions fail: one permit of each limit, from the bucket of
     * unresolved keys.
     */
    public Charge chargeOfNobody() {
        return limits.rule.charge(charging.key.unresolved().text());
    }

    @Override
    public String toString() {
        return limits.rule + " from " + origin();
    }
}
