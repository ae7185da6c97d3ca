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

/** A rule, ready to use: expressions, key and patterns are parsed. Immutable, thread-safe. */
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
    private final ClientAnswer answer;
    private final @Nullable String live;
    private final @Nullable Charge fixedCharge;
    private final boolean limitsConcurrency;
    private final boolean forAll;
    private final boolean alwaysAtOnce;
    private final boolean mayReadUser;

    /** The limits that apply: the rule's own, or those of a tier, a resolver, or a key that has others. */
    public record Limits(
            Rule rule, @Nullable Tiers tiers, @Nullable ResolvedLimits resolved, Map<String, Rule> overrides) {}

    /** The requests that are counted. */
    public record Requests(RequestMatcher matcher, AddressLists addresses, BooleanExpression condition) {}

    /**
     * The charge of a request; {@code unresolved}: null if the keys are not counted; {@code chargeIf}: null if all
     * requests stay charged.
     */
    public record Charging(
            RateLimitKey key,
            UnresolvedKeys.@Nullable OfRule unresolved,
            Costs costs,
            @Nullable ChargeIf chargeIf,
            Waiting waiting) {}

    /** The effect of rejections; {@code ban}: null if no key is banned. */
    public record Enforcement(
            Mode mode, Rollout rollout, @Nullable Ban ban) {}

    /** The answer to clients; {@code forServer}: whether the limits are the application's own. */
    public record ClientAnswer(HeaderStyle headers, boolean forServer) {}

    /** {@code live}: the name of the rule beside which it is tried; null if it is no candidate. */
    public RateLimitRule(
            RuleDefinition definition,
            Scope scope,
            Limits limits,
            Requests requests,
            Charging charging,
            Enforcement enforcement,
            ClientAnswer answer,
            @Nullable String live) {
        this.definition = definition;
        this.scope = scope;
        this.limits = limits;
        this.requests = requests;
        this.charging = charging;
        this.enforcement = enforcement;
        this.answer = answer;
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

    /** The name as configured, or the display name of the annotated method; {@code default} for the automatic limit. */
    public String name() {
        return limits.rule.name();
    }

    /** The rule's own limits, as the core knows them. */
    public Rule rule() {
        return limits.rule;
    }

    /** The limits of each tier by its name: to the core, rules of the same name with as many limits. */
    public Map<String, Rule> tiers() {
        return limits.tiers == null ? Map.of() : limits.tiers.rules();
    }

    /** The weaker of the rule's own mode and the one of all. */
    public Mode mode() {
        return enforcement.mode;
    }

    /** The share of the keys for which it is enforced. */
    public Rollout rollout() {
        return enforcement.rollout;
    }

    /** Whether what becomes of its decisions depends on the key. */
    public boolean isEnforcedInPart() {
        return enforcement.rollout.isPartial();
    }

    /**
     * The key of this one.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if it cannot be evaluated
     */
    public ResolvedKey key(RateLimitContext context) {
        return charging.key.resolve(context);
    }

    /** Whether a key is rejected, rather than only watched. */
    public boolean enforces(ResolvedKey known) {
        return !enforcement.rollout.isPartial() || enforcement.rollout.contains(known.client());
    }

    /** The name of the rule beside which it is tried; null if it is no candidate. */
    public @Nullable String live() {
        return live;
    }

    public HeaderStyle headers() {
        return answer.headers;
    }

    /** Where it was written. */
    public String origin() {
        return definition.origin().toString();
    }

    /** The settings that this was made of. */
    public RuleDefinition definition() {
        return definition;
    }

    public Scope scope() {
        return scope;
    }

    /** When it decides, if it has paths. */
    public Phase phase() {
        return requests.matcher.phase;
    }

    /** The requests whose key lacks a part; null without a key, and for a candidate, which has that of its rule. */
    public UnresolvedKeys.@Nullable OfRule unresolvedKeys() {
        return charging.unresolved;
    }

    /** Whether all callers share its buckets. */
    public boolean isForAll() {
        return forAll;
    }

    /** The kinds of values that divide its buckets, as {@link RateLimitKey#kinds()}. */
    public List<String> keyKinds() {
        return charging.key.kinds();
    }

    /** The types of the parts of its keys, as {@link RateLimitKey#partTypes()}. */
    public List<String> keyParts() {
        return charging.key.partTypes();
    }

    /** Whether its limits are the application's own, so that no client is to blame for using them up. */
    public boolean protectsApplication() {
        return answer.forServer;
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

    /** Whether requests may have to wait for it. */
    public boolean makesWait() {
        return charging.waiting.isPossible();
    }

    /** Whether any of its limits, or of a tier of it, is one of concurrency. */
    public boolean limitsConcurrency() {
        return limitsConcurrency;
    }

    private static boolean limitsConcurrency(Rule limited) {
        return limited.limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
    }

    /** Whether it has paths, so that it applies to requests by itself. */
    public boolean appliesByPath() {
        return requests.matcher.paths != null;
    }

    /** The requests that it applies to by itself; none without paths. */
    public RequestMatcher matcher() {
        return requests.matcher;
    }

    /** Whether what is taken stays charged; null if it always does. */
    public @Nullable ChargeIf chargeIf() {
        return charging.chargeIf;
    }

    /** The name of the tier with exactly these limits; null if they are the rule's own, or those of a resolver. */
    @SuppressWarnings("ReferenceEquality") // two tiers may have the same limits
    public @Nullable String tierOf(Rule applicable) {
        for (Map.Entry<String, Rule> tier : tiers().entrySet()) {
            if (tier.getValue() == applicable) {
                return tier.getKey();
            }
        }
        return null;
    }

    /** The ban of keys; null if the rule bans none. */
    public @Nullable Ban ban() {
        return enforcement.ban;
    }

    /** The ban of a key; null if it is never banned, such as the shared key of clients without their own. */
    public @Nullable Ban banOf(ResolvedKey known) {
        return known.unresolved() ? null : enforcement.ban;
    }

    /** Whether it rejects the addresses of some clients. */
    public boolean hasDeniedAddresses() {
        return !requests.addresses.deny().isEmpty();
    }

    /** Whether the address of the client is always rejected. */
    public boolean denies(RateLimitContext context) {
        return requests.addresses.deny(context);
    }

    /**
     * The option that exempts this one: {@code allow} or {@code condition}; null if nothing does.
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
     * The charge of a request; null if it is of a tier without limits.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if key, cost, limit, tier or priority cannot be
     *     evaluated
     */
    public @Nullable Charge charge(RateLimitContext context) {
        return charge(null, context);
    }

    /** {@link #charge(RateLimitContext)} with the {@link #key} of this rule, where that is known. */
    public @Nullable Charge charge(@Nullable ResolvedKey known, RateLimitContext context) {
        if (fixedCharge != null && context.key() == null) {
            return fixedCharge;
        }
        return charge(known, context, false);
    }

    /** The {@link #charge} of a request that is none: nothing is remembered of it. */
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
     * The limits of a key without a tier: those that it has for a while, or else the last that were resolved for it, or
     * else the rule's own.
     */
    public Rule limitsOf(String whole) {
        return limitsOf(whole, limits.rule);
    }

    /** The same for a key that is of a tier with these limits. */
    public Rule limitsOf(String whole, Rule tier) {
        Rule overridden = limits.overrides.get(whole);
        if (overridden != null) {
            return overridden;
        }
        Rule resolved = limits.resolved == null ? tier : limits.resolved.last(whole, tier);
        return resolved == null ? tier : resolved;
    }

    /** The limits of the keys that have others than the rule, its tiers and its resolver give them. */
    public Map<String, Rule> overrides() {
        return limits.overrides;
    }

    /** The key that a person means, as {@link RateLimitKey#ofInput}. */
    public Optional<ResolvedKey> keyOf(@Nullable String text, @Nullable String resource) {
        return charging.key.ofInput(text, resource);
    }

    /** The rules of the core that count a key: its limits, and those of its ban. */
    public List<Rule> counted() {
        Ban ban = enforcement.ban;
        return ban == null ? List.of(limits.rule) : List.of(limits.rule, ban.rejections(), ban.bans());
    }

    /**
     * The charge of a request whose own cannot be worked out: a permit of each limit, from the bucket of
     * clients without a key.
     */
    public Charge chargeOfNobody() {
        return limits.rule.charge(charging.key.unresolved().text());
    }

    @Override
    public String toString() {
        return limits.rule + " from " + origin();
    }
}
