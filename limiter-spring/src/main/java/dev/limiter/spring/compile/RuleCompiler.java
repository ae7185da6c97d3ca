package dev.limiter.spring.compile;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.annotation.Answer;
import dev.limiter.spring.compiled.AddressLists;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.ChargeIf;
import dev.limiter.spring.compiled.Costs;
import dev.limiter.spring.compiled.EnforcedShare;
import dev.limiter.spring.compiled.KeyOverrides;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RequestMatcher;
import dev.limiter.spring.compiled.ResolvedLimits;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.compiled.Waiting;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** Turns raw settings into rules, or says all that is wrong with them. Thread-safe. */
public final class RuleCompiler {

    private final KeyParser keys;
    private final LimiterExpressionParser expressions;
    private final CostCompiler costs;
    private final LimitCompiler limits;
    private final TierCompiler tiers;
    private final RequestMatcherCompiler matchers;
    private final Mode mode;
    private final HeaderStyle headers;
    private final TimeSteps steps;
    private final AddressLists everywhere;
    private final ResolvedLimitCompiler resolvers;
    private final OverrideCompiler overrides;
    private final Floors floors;

    /**
     * @param available the algorithms that there is a strategy for
     * @param matchers how paths are read
     * @param mode of all rules; a rule's own counts if it is weaker
     * @param headers of rules that do not say
     * @param steps what the storage counts time in
     */
    public RuleCompiler(
            KeyParser keys,
            LimiterExpressionParser expressions,
            Set<Algorithm> available,
            RequestMatcherCompiler matchers,
            Mode mode,
            HeaderStyle headers,
            TimeSteps steps) {
        this(
                keys,
                expressions,
                available,
                matchers,
                mode,
                headers,
                steps,
                AddressLists.NONE,
                null,
                TimeSource.system(),
                Floors.NONE);
    }

    /**
     * @param everywhere the addresses that all rules treat apart
     * @param beans where beans are that rules name; null if there are none
     * @param clock by which overrides of keys end
     * @param floors what rules may not exceed
     */
    public RuleCompiler(
            KeyParser keys,
            LimiterExpressionParser expressions,
            Set<Algorithm> available,
            RequestMatcherCompiler matchers,
            Mode mode,
            HeaderStyle headers,
            TimeSteps steps,
            AddressLists everywhere,
            @Nullable ListableBeanFactory beans,
            TimeSource clock,
            Floors floors) {
        this.everywhere = everywhere;
        this.keys = keys;
        this.expressions = expressions;
        this.costs = new CostCompiler(expressions);
        this.limits = new LimitCompiler(available, steps);
        this.tiers = new TierCompiler(keys, limits);
        this.resolvers = new ResolvedLimitCompiler(beans, expressions, limits, floors);
        this.overrides = new OverrideCompiler(limits, clock);
        this.floors = floors;
        this.matchers = matchers;
        this.mode = mode;
        this.headers = headers;
        this.steps = steps;
    }

    /**
     * A rule that applies by its paths, or that methods refer to.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition) {
        return compile(definition, variables(definition), definition.get(RuleOptions.PATHS) != null);
    }

    /**
     * The automatic limit: it applies to requests without having paths.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    RateLimitRule compileDefault(RuleDefinition definition) {
        return compile(definition, ExpressionScope.REQUEST, true);
    }

    private RateLimitRule compile(RuleDefinition definition, ExpressionScope variables, boolean keyIsFinal) {
        Scope scope = definition.value(RuleOptions.SCOPE, Scope.RULE);
        return compile(
                definition,
                variables,
                variables.afterRequest(),
                keyIsFinal,
                scope,
                scope == Scope.RULE ? UnaryOperator.identity() : RateLimitKey::perResource);
    }

    private static ExpressionScope variables(RuleDefinition definition) {
        if (definition.get(RuleOptions.PATHS) == null) {
            return ExpressionScope.ANY;
        }
        boolean early = definition.value(RuleOptions.PHASE) == Phase.REQUEST;
        return early ? ExpressionScope.ARRIVING_REQUEST : ExpressionScope.REQUEST;
    }

    /**
     * The rule of an annotated method: unless the settings say {@code scope: rule}, its buckets are the method's own.
     *
     * @param resource the full signature, which tells its buckets from those of other methods
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if the settings cannot work
     */
    public RateLimitRule compile(RuleDefinition definition, Method method, String resource) {
        ExpressionScope variables = ExpressionScope.of(method);
        Scope scope = definition.value(RuleOptions.SCOPE, Scope.ENDPOINT);
        return compile(
                definition,
                variables,
                variables.afterCall(),
                true,
                scope,
                scope == Scope.RULE ? UnaryOperator.identity() : key -> key.within(resource));
    }

    private RateLimitRule compile(
            RuleDefinition definition,
            ExpressionScope variables,
            ExpressionScope outcome,
            boolean keyIsFinal,
            Scope scope,
            UnaryOperator<RateLimitKey> scoped) {
        Problems problems = new Problems();
        Duration maxWait = WaitingCompiler.maxWait(definition, problems);
        List<Limit> compiledLimits = limits(definition, maxWait, problems);
        LeaseCompiler.check(definition, compiledLimits, problems);
        // what is wrong with the limits would be wrong with those of each tier again
        Tiers compiledTiers = definition.tiers() == null || !problems.isEmpty()
                ? null
                : tiers.compile(definition, definition.tiers(), maxWait, variables, problems);
        KeyOverrides ofKeys = problems.isEmpty()
                ? overrides.compile(definition, compiledLimits, compiledTiers, maxWait, problems)
                : KeyOverrides.NONE;
        ResolvedLimits resolved = resolvers.compile(definition, maxWait, variables, problems);
        RateLimitKey key = problems.collect(() -> key(definition.get(RuleOptions.KEY), variables));
        Costs compiledCosts = costs.compile(definition, variables, problems);
        BooleanExpression condition = problems.collect(
                () -> expression(definition.get(RuleOptions.CONDITION), variables, BooleanExpression.ALWAYS));
        BooleanExpression skipIf = problems.collect(
                () -> expression(definition.get(RuleOptions.SKIP_IF), variables, BooleanExpression.NEVER));
        ChargeIf chargeIf = problems.collect(() -> chargeIf(definition.get(RuleOptions.CHARGE_IF), outcome));
        AddressLists addresses = AddressLists.compile(definition, problems).and(everywhere);
        Ban ban = BanCompiler.compile(definition, steps, problems);
        Setting<String> priority = definition.get(RuleOptions.PRIORITY);
        BooleanExpression first = priority == null
                ? null
                : problems.collect(() -> expression(priority, variables, BooleanExpression.NEVER));
        WaitingCompiler.checkPhase(definition, maxWait, problems);
        Waiting waiting = WaitingCompiler.compile(definition, maxWait, first, compiledLimits, problems);
        RequestMatcher matcher = matchers.compile(definition, problems);
        if (ban != null
                && key != null
                && !key.tellsClientsApart()
                && (keyIsFinal || definition.get(RuleOptions.KEY) != null)) {
            BanCompiler.refuseWithoutKey(definition, problems);
        }
        EnforcedShare share = EnforcedShareCompiler.compile(definition, key, keyIsFinal, problems);
        floors.check(definition, compiledLimits, compiledTiers, ofKeys, share, problems);
        CostCompiler.check(definition, compiledCosts, compiledLimits, "", problems);
        CostCompiler.check(definition, compiledCosts, ofKeys.limits(), ": an override", problems);
        checkChargeIf(definition.get(RuleOptions.CHARGE_IF), compiledLimits, problems);
        if (compiledTiers != null) {
            compiledTiers.rules().forEach((tier, rule) -> {
                CostCompiler.check(definition, compiledCosts, rule.limits(), ".tiers." + tier, problems);
                checkChargeIf(definition.get(RuleOptions.CHARGE_IF), rule.limits(), problems);
            });
        }
        problems.throwIfAny();
        if (key == null || condition == null || skipIf == null) {
            throw new IllegalStateException("Null without a problem");
        }
        return new RateLimitRule(
                Rule.of(definition.name(), compiledLimits),
                compiledTiers,
                definition,
                mode.weaker(definition.value(RuleOptions.MODE, mode)),
                headers(definition, key),
                scope,
                matcher,
                scoped.apply(key),
                compiledCosts,
                condition,
                skipIf,
                chargeIf,
                addresses,
                ban,
                waiting,
                answersForServer(definition),
                resolved,
                ofKeys,
                share,
                definition.value(CandidateRules.LIVE));
    }

    /**
     * What all share by declaration, or the application has from others, is not the client's own, and told only where the
     * rule itself asks for it.
     */
    private HeaderStyle headers(RuleDefinition definition, RateLimitKey key) {
        boolean others = definition.get(RuleOptions.KEY) != null && key.isForAll() || answersForServer(definition);
        return definition.value(RuleOptions.HEADERS, others ? HeaderStyle.NONE : headers);
    }

    private static boolean answersForServer(RuleDefinition definition) {
        return definition.value(RuleOptions.ANSWER) == Answer.SERVER;
    }

    RequestMatcherCompiler matchers() {
        return matchers;
    }

    private List<Limit> limits(RuleDefinition definition, Duration maxWait, Problems problems) {
        Map<String, LimitDefinition> named = definition.limits();
        if (named != null && !definition.limit().isEmpty()) {
            problems.add(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    definition.limit().where(),
                    null,
                    "It has a limit of its own and named limits at once. Move"
                            + " limit, window and their options into limits, or remove limits.");
            return List.of();
        }
        List<Limit> compiled = new ArrayList<>();
        if (named == null) {
            add(compiled, problems.collect(() -> limits.compile("", definition.limit(), maxWait)));
        } else if (named.isEmpty()) {
            problems.add(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    definition.origin().of("limits"),
                    null,
                    "There are no limits in it: name at least one.");
        } else {
            named.forEach((name, limit) -> add(compiled, problems.collect(() -> limits.compile(name, limit, maxWait))));
        }
        return compiled;
    }

    private static void add(List<Limit> limits, @Nullable Limit limit) {
        if (limit != null) {
            limits.add(limit);
        }
    }

    private RateLimitKey key(@Nullable Setting<List<String>> key, ExpressionScope variables) {
        return key == null ? RateLimitKey.GLOBAL : keys.parse(key.value(), key.where(), variables);
    }

    private BooleanExpression expression(
            @Nullable Setting<String> setting, ExpressionScope variables, BooleanExpression otherwise) {
        return setting == null
                ? otherwise
                : BooleanExpression.of(expressions.parse(setting.value(), setting.where(), variables));
    }

    private @Nullable ChargeIf chargeIf(@Nullable Setting<String> setting, ExpressionScope variables) {
        return setting == null ? null : ChargeIf.parse(setting, expressions, variables);
    }

    /** A permit in flight is free again when the work is done; to return it earlier would let too many in. */
    static void checkChargeIf(@Nullable Setting<String> setting, List<Limit> limits, Problems problems) {
        if (setting != null && limits.stream().anyMatch(Limit.Concurrency.class::isInstance)) {
            problems.add(
                    MessageCode.CHARGE_IF,
                    setting.where(),
                    setting.value(),
                    "A limit of the rule is algorithm: concurrency, of which nothing stays charged anyway. Move that limit"
                            + " into a rule of its own, or remove charge-if.");
        }
    }
}
