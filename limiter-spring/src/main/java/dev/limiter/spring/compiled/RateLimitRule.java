package dev.limiter.spring.compiled;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/** A rule, ready to use: expressions, key and patterns are parsed. Immutable, thread-safe. */
public final class RateLimitRule {

    private final Rule rule;
    private final @Nullable Tiers tiers;
    private final RuleDefinition definition;
    private final Mode mode;
    private final HeaderStyle headers;
    private final Scope scope;
    private final @Nullable RequestMatcher matcher;
    private final RateLimitKey key;
    private final Costs costs;
    private final BooleanExpression condition;
    private final BooleanExpression skipIf;
    private final @Nullable ChargeIf chargeIf;
    private final AddressLists addresses;
    private final @Nullable Ban ban;
    private final Waiting waiting;
    private final boolean answersForServer;
    private final @Nullable ResolvedLimits resolved;
    private final Map<String, Rule> overrides;
    private final EnforcedShare enforced;
    private final @Nullable String live;
    private final @Nullable Charge fixedCharge;
    private final boolean limitsConcurrency;
    private final String name;
    private final boolean forAll;
    private final boolean hasAllowedAddresses;
    private final boolean alwaysAtOnce;

    /** The limits that apply: the rule's own, or those of a tier, a resolver, or a key that has others. */
    public record Limits(
            Rule rule, @Nullable Tiers tiers, @Nullable ResolvedLimits resolved, Map<String, Rule> overrides) {}

    /** The requests that are counted; {@code matcher}: null without paths. */
    public record Requests(
            @Nullable RequestMatcher matcher,
            AddressLists addresses,
            BooleanExpression condition,
            BooleanExpression skipIf) {}

    /** The charge of a request; {@code chargeIf}: null if all requests stay charged. */
    public record Charging(
            RateLimitKey key, Costs costs, @Nullable ChargeIf chargeIf, Waiting waiting) {}

    /** The effect of refusals; {@code ban}: null if no key is banned. */
    public record Enforcement(
            Mode mode, EnforcedShare share, @Nullable Ban ban) {}

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
        this.rule = limits.rule();
        this.tiers = limits.tiers();
        this.resolved = limits.resolved();
        this.overrides = limits.overrides();
        this.matcher = requests.matcher();
        this.addresses = requests.addresses();
        this.condition = requests.condition();
        this.skipIf = requests.skipIf();
        this.key = charging.key();
        this.costs = charging.costs();
        this.chargeIf = charging.chargeIf();
        this.waiting = charging.waiting();
        this.mode = enforcement.mode();
        this.enforced = enforcement.share();
        this.ban = enforcement.ban();
        this.headers = answer.headers();
        this.answersForServer = answer.forServer();
        this.live = live;
        this.name = rule.name();
        this.forAll = key.isForAll();
        this.hasAllowedAddresses = !addresses.allow().isEmpty();
        this.alwaysAtOnce = waiting.isFixed() && !waiting.isPossible();
        this.fixedCharge = fixedCharge();
        this.limitsConcurrency =
                limitsConcurrency(rule) || tiers().values().stream().anyMatch(RateLimitRule::limitsConcurrency);
    }

    private @Nullable Charge fixedCharge() {
        String constant = key.constant();
        boolean sameForAll = tiers == null && resolved == null && overrides.isEmpty();
        return constant != null && costs.isFixed() && sameForAll && waiting.isFixed()
                ? waiting.first(refundable(costs.fixed(rule, constant)))
                : null;
    }

    private Charge refundable(Charge charge) {
        return chargeIf == null ? charge : charge.asRefundable();
    }

    /** The name as configured, or the display name of the annotated method; {@code default} for the automatic limit. */
    public String name() {
        return name;
    }

    /** The rule's own limits, as the core knows them. */
    public Rule rule() {
        return rule;
    }

    /** The limits of each tier by its name: to the core, rules of the same name with as many limits. */
    public Map<String, Rule> tiers() {
        return tiers == null ? Map.of() : tiers.rules();
    }

    /** The weaker of the rule's own mode and the one of all. */
    public Mode mode() {
        return mode;
    }

    /** The share of the keys that are refused. */
    public EnforcedShare enforced() {
        return enforced;
    }

    /** Whether what becomes of its decisions depends on the key. */
    public boolean isEnforcedInPart() {
        return enforced.isPartial();
    }

    /**
     * The key of this one.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if it cannot be evaluated
     */
    public String key(RateLimitContext context) {
        return key.resolve(context);
    }

    /** Whether a key is refused, rather than only watched. */
    public boolean enforces(String whole) {
        return !enforced.isPartial() || enforced.contains(key.clientOf(whole));
    }

    /** The name of the rule beside which it is tried; null if it is no candidate. */
    public @Nullable String live() {
        return live;
    }

    public HeaderStyle headers() {
        return headers;
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
        return matcher == null ? Phase.ENDPOINT : matcher.phase();
    }

    /** Whether all callers share its buckets. */
    public boolean isForAll() {
        return forAll;
    }

    /** The kinds of values that divide its buckets, as {@link RateLimitKey#kinds()}. */
    public List<String> keyKinds() {
        return key.kinds();
    }

    /** The types of the parts of its keys, as {@link RateLimitKey#partTypes()}. */
    public List<String> keyParts() {
        return key.partTypes();
    }

    /** Whether its limits are the application's own, so that no client is to blame for using them up. */
    public boolean answersForServer() {
        return answersForServer;
    }

    /** Whether requests may have to wait for it. */
    public boolean makesWait() {
        return waiting.isPossible();
    }

    /** The share of each limit that is kept for requests with priority, in percent. */
    public int reserve() {
        return waiting.reserve();
    }

    /** Whether any of its limits, or of a tier of it, is one of concurrency. */
    public boolean limitsConcurrency() {
        return limitsConcurrency;
    }

    private static boolean limitsConcurrency(Rule limited) {
        return limited.limits().stream().anyMatch(Limit::isHeld);
    }

    /** Whether it has paths, so that it applies to requests by itself. */
    public boolean appliesByPath() {
        return matcher != null;
    }

    /**
     * Whether it applies by itself to a request.
     *
     * @param httpMethod the method of the request
     * @param endpointPattern the best matching pattern, empty if there is none
     * @param path the path within the application, as parsed for routing
     */
    public boolean matches(@Nullable String httpMethod, String endpointPattern, PathContainer path) {
        return matcher != null && matcher.matches(httpMethod, endpointPattern, path);
    }

    /**
     * The most specific of its patterns that match a request by its path alone; null if there is none.
     *
     * @param paths within the application, different ways to read that of the request
     */
    public @Nullable PathPattern bestPattern(String httpMethod, List<PathContainer> paths) {
        return matcher == null ? null : matcher.best(httpMethod, paths);
    }

    /** The HTTP method that it is for, if it is only one. */
    public Optional<String> onlyMethod() {
        return matcher == null ? Optional.empty() : matcher.onlyMethod();
    }

    /** The answer of {@link #matches} for all paths of an endpoint, if that is always the same. */
    public Coverage coverage(@Nullable String httpMethod, String endpointPattern) {
        return matcher == null ? Coverage.NONE : matcher.coverage(httpMethod, endpointPattern);
    }

    /** The coverage by one of its paths alone, as it was written. */
    public Coverage coverage(String path, @Nullable String httpMethod, String endpointPattern) {
        return matcher == null ? Coverage.NONE : matcher.coverage(path, httpMethod, endpointPattern);
    }

    /** Whether what is taken stays charged; null if it always does. */
    public @Nullable ChargeIf chargeIf() {
        return chargeIf;
    }

    /** The name of the tier with exactly these limits; null if they are the rule's own, or those of a resolver. */
    @SuppressWarnings("ReferenceEquality") // two tiers may have the same limits
    public @Nullable String tierOf(Rule limits) {
        if (tiers == null) {
            return null;
        }
        for (Map.Entry<String, Rule> tier : tiers().entrySet()) {
            if (tier.getValue() == limits) {
                return tier.getKey();
            }
        }
        return null;
    }

    /** Whether a key belongs to clients that the rule does not tell apart, such as clients without an API key. */
    public boolean isOfNobody(String whole) {
        return key.isOfNobody(whole);
    }

    /** Its paths that match a request; parameters as in {@link #matches}, for any method. */
    public List<String> covering(String endpointPattern, PathContainer path) {
        return matcher == null ? List.of() : matcher.covering(endpointPattern, path);
    }

    /** The ban of keys; null if the rule bans none. */
    public @Nullable Ban ban() {
        return ban;
    }

    /**
     * The ban of the key of a charge; null if it is never banned, such as the shared key of clients without their own.
     */
    public @Nullable Ban banOf(Charge charge) {
        return ban == null || key.isOfNobody(charge.key()) ? null : ban;
    }

    /** Whether it refuses the addresses of some clients. */
    public boolean hasDeniedAddresses() {
        return !addresses.deny().isEmpty();
    }

    /** Whether the address of the client is always refused. */
    public boolean denies(RateLimitContext context) {
        return addresses.deny(context);
    }

    /**
     * The option that exempts this one: {@code allow}, {@code condition} or {@code skip-if}; null if nothing does.
     *
     * @throws dev.limiter.spring.expression.RuleEvaluationException if they cannot be evaluated
     */
    public @Nullable String exemption(RateLimitContext context) {
        if (hasAllowedAddresses && addresses.allow(context)) {
            return RuleOptions.ALLOW.name();
        }
        if (!condition.evaluate(context)) {
            return RuleOptions.CONDITION.name();
        }
        return skipIf.evaluate(context) ? RuleOptions.SKIP_IF.name() : null;
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
    public @Nullable Charge charge(@Nullable String known, RateLimitContext context) {
        if (fixedCharge != null) {
            return fixedCharge;
        }
        return charge(known, context, false);
    }

    /** The {@link #charge} of a request that is none: nothing is remembered of it. */
    public @Nullable Charge predictedCharge(RateLimitContext context) {
        return charge(null, context, true);
    }

    private @Nullable Charge charge(@Nullable String known, RateLimitContext context, boolean prediction) {
        Rule applicable = tiers == null ? rule : tiers.select(context, rule);
        if (applicable == null && overrides.isEmpty()) {
            return null;
        }
        String whose = known == null ? key.resolve(context) : known;
        Rule overriding = overrides.get(whose);
        if (overriding != null) {
            applicable = overriding;
        } else if (applicable != null && resolved != null) {
            applicable = prediction
                    ? resolved.prediction(whose, context, applicable)
                    : resolved.of(whose, context, applicable);
        }
        if (applicable == null) {
            return null;
        }
        Charge charge = refundable(costs.charge(applicable, whose, context));
        return alwaysAtOnce ? charge : waiting.apply(charge, context);
    }

    /**
     * The limits of a key without a tier: those that it has for a while, or else the last that were resolved for it, or
     * else the rule's own.
     */
    public Rule limitsOf(String whole) {
        return limitsOf(whole, rule);
    }

    /** The same for a key that is of a tier with these limits. */
    public Rule limitsOf(String whole, Rule tier) {
        Rule overriding = overrides.get(whole);
        if (overriding != null) {
            return overriding;
        }
        return resolved == null ? tier : resolved.last(whole, tier);
    }

    /** The limits of the keys that have others than the rule, its tiers and its resolver give them. */
    public Map<String, Rule> overrides() {
        return overrides;
    }

    /** The key that a person means, as {@link RateLimitKey#of}. */
    public Optional<String> keyOf(@Nullable String text, @Nullable String resource) {
        return key.of(text, resource);
    }

    /**
     * The charge of a request whose own cannot be worked out: a permit of each limit, from the bucket of
     * clients without a key.
     */
    public Charge chargeOfNobody() {
        return rule.charge(key.unresolved());
    }

    @Override
    public String toString() {
        return rule + " from " + origin();
    }
}
