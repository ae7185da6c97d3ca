package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.annotation.Answer;
import dev.limiter.spring.compiled.AddressLists;
import dev.limiter.spring.compiled.Ban;
import dev.limiter.spring.compiled.ChargeIf;
import dev.limiter.spring.compiled.Costs;
import dev.limiter.spring.compiled.EnforcedShare;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RequestMatcher;
import dev.limiter.spring.compiled.ResolvedLimits;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.compiled.Waiting;
import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The compilation of one rule: each step compiles some settings, and adds their problems. Not thread-safe. */
final class RuleCompilation {

    private final RuleCompiler compiler;
    private final RuleDefinition definition;
    private final Placement placement;
    private final Problems problems = new Problems();

    /**
     * The place of a rule: on paths or on a method.
     *
     * @param variables of expressions before the decision
     * @param outcome the variables of expressions after the request or call
     * @param isFinal whether no annotation can complete the rule; what another option makes good is no problem before
     * @param scoped narrows the key to the scope
     */
    record Placement(
            ExpressionScope variables,
            ExpressionScope outcome,
            boolean isFinal,
            Scope scope,
            UnaryOperator<RateLimitKey> scoped) {}

    /** The limits of a rule, with no own ones if these have a problem. */
    private record CompiledLimits(
            List<Limit> own,
            @Nullable Tiers tiers,
            Map<String, Rule> overrides,
            @Nullable ResolvedLimits resolved) {}

    RuleCompilation(RuleCompiler compiler, RuleDefinition definition, Placement placement) {
        this.compiler = compiler;
        this.definition = definition;
        this.placement = placement;
    }

    /**
     * The compiled rule. Problems are reported in the order of the steps.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if there are problems
     */
    RateLimitRule compile() {
        RuleOptions.ALL.forEach(option -> OptionValues.checkRange(option, definition.get(option), problems));
        Duration maxWait = WaitingCompiler.maxWait(definition, compiler.steps, problems);
        CompiledLimits limits = limits(isUnknown(maxWait) ? null : maxWait);
        RateLimitKey key = problems.collect(() -> key(definition.get(RuleOptions.KEY)));
        Costs costs = compiler.costs.compile(definition, placement.variables, problems);
        BooleanExpression condition = condition(RuleOptions.CONDITION, BooleanExpression.ALWAYS);
        BooleanExpression skipIf = condition(RuleOptions.SKIP_IF, BooleanExpression.NEVER);
        ChargeIf chargeIf = problems.collect(() -> chargeIf(definition.get(RuleOptions.CHARGE_IF)));
        AddressLists addresses = AddressLists.compile(definition, problems).and(compiler.everywhere);
        Ban ban = BanCompiler.compile(definition, compiler.steps, problems);
        Waiting waiting = waiting(maxWait);
        RequestMatcher matcher = compiler.matchers().compile(definition, problems);
        checkBan(ban, key);
        EnforcedShare share = EnforcedShareCompiler.compile(definition, key, placement.isFinal, problems);
        if (placement.isFinal) {
            compiler.floors.check(definition, limits.own, limits.tiers, limits.overrides.values(), share, problems);
        }
        checkCharges(limits, costs);
        RateLimitKey valid = problems.valid(key);
        return new RateLimitRule(
                definition,
                placement.scope,
                new RateLimitRule.Limits(
                        Rule.of(definition.name(), limits.own), limits.tiers, limits.resolved, limits.overrides),
                new RateLimitRule.Requests(matcher, addresses, condition, skipIf),
                new RateLimitRule.Charging(placement.scoped.apply(valid), costs, chargeIf, waiting),
                new RateLimitRule.Enforcement(mode(), share, ban),
                new RateLimitRule.ClientAnswer(headers(valid), answersForServer()),
                definition.value(CandidateRules.LIVE));
    }

    /** Whether an annotation may still say that requests wait. */
    private boolean isUnknown(Duration maxWait) {
        return !placement.isFinal && maxWait.isZero() && definition.get(RuleOptions.MAX_WAIT) == null;
    }

    private CompiledLimits limits(@Nullable Duration maxWait) {
        List<Limit> own = ownLimits(maxWait);
        checkTerms(own, maxWait, "");
        // problems of the limits would be reported again for each tier
        Tiers tiers = definition.tiers() == null || !problems.isEmpty()
                ? null
                : compiler.tiers.compile(definition, definition.tiers(), maxWait, placement.variables, problems);
        if (tiers != null) {
            tiers.rules().forEach((tier, rule) -> checkTerms(rule.limits(), maxWait, ".tiers." + tier));
        }
        return new CompiledLimits(
                own,
                tiers,
                problems.isEmpty() ? overrides(maxWait) : Map.of(),
                compiler.resolvers.compile(definition, maxWait, placement.variables, problems));
    }

    /** The limits of keys with differences from the rule. To the core they are rules of the same name: use is kept. */
    private Map<String, Rule> overrides(@Nullable Duration maxWait) {
        Map<String, Rule> byKey = new HashMap<>();
        definition.value(ChangeOrigin.OVERRIDES, Map.of()).forEach((key, difference) -> {
            List<Limit> limits = limitsOf(difference.over(definition).limitsByName(), maxWait);
            if (problems.isEmpty()) {
                byKey.put(key, Rule.of(definition.name(), limits));
            }
        });
        return byKey;
    }

    /** Checks that the terms of the rule fit limits. {@code place}: of these behind that of the rule. */
    private void checkTerms(List<Limit> limits, @Nullable Duration maxWait, String place) {
        LeaseCompiler.check(definition, limits, place, problems);
        if (maxWait != null && placement.isFinal) {
            WaitingCompiler.checkLimits(definition, maxWait, limits, place, problems);
        }
    }

    private List<Limit> ownLimits(@Nullable Duration maxWait) {
        Map<String, LimitDefinition> named = definition.limits();
        if (named == null) {
            return limitsOf(Map.of("", definition.limit()), maxWait);
        }
        if (!definition.limit().isEmpty()) {
            problems.add(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    definition.limit().where(),
                    null,
                    "It has a limit of its own and named limits at once. Move"
                            + " limit, window and their options into limits, or remove limits.");
            return List.of();
        }
        if (named.isEmpty()) {
            problems.add(
                    MessageCode.TWO_SORTS_OF_LIMITS,
                    definition.origin().of("limits"),
                    null,
                    "There are no limits in it: name at least one.");
        }
        return limitsOf(named, maxWait);
    }

    private List<Limit> limitsOf(Map<String, LimitDefinition> byName, @Nullable Duration maxWait) {
        List<Limit> compiled = new ArrayList<>();
        byName.forEach((name, said) -> {
            Limit limit = problems.collect(() -> compiler.limits.compile(name, said, maxWait));
            if (limit != null) {
                compiled.add(limit);
            }
        });
        return compiled;
    }

    private Waiting waiting(Duration maxWait) {
        Setting<String> priority = definition.get(RuleOptions.PRIORITY);
        BooleanExpression first = priority == null ? null : condition(RuleOptions.PRIORITY, BooleanExpression.NEVER);
        WaitingCompiler.checkPhase(definition, maxWait, problems);
        if (placement.isFinal) {
            WaitingCompiler.checkOptions(definition, maxWait, problems);
        }
        return WaitingCompiler.compile(definition, maxWait, first, problems);
    }

    private RateLimitKey key(@Nullable Setting<List<String>> key) {
        return key == null ? RateLimitKey.GLOBAL : compiler.keys.parse(key.value(), key.where(), placement.variables);
    }

    /** The expression of an option; {@code otherwise} without a setting, and with one that has a problem. */
    private BooleanExpression condition(Option<String> option, BooleanExpression otherwise) {
        Setting<String> setting = definition.get(option);
        BooleanExpression condition = setting == null ? null : problems.collect(() -> condition(setting));
        return condition == null ? otherwise : condition;
    }

    private BooleanExpression condition(Setting<String> setting) {
        return BooleanExpression.of(
                compiler.expressions.parse(setting.value(), setting.where(), placement.variables),
                "#request.method == 'GET'");
    }

    private @Nullable ChargeIf chargeIf(@Nullable Setting<String> setting) {
        return setting == null ? null : ChargeIf.parse(setting, compiler.expressions, placement.outcome);
    }

    private Mode mode() {
        return compiler.mode.weaker(definition.value(RuleOptions.MODE, compiler.mode));
    }

    /**
     * The standing of a limit that all clients share, or that is the application's own, is told to a client only where
     * the rule itself asks for it.
     */
    private HeaderStyle headers(RateLimitKey key) {
        boolean shared = definition.get(RuleOptions.KEY) != null && key.isForAll() || answersForServer();
        return definition.value(RuleOptions.HEADERS, shared ? HeaderStyle.NONE : compiler.headers);
    }

    private boolean answersForServer() {
        return definition.value(RuleOptions.ANSWER) == Answer.SERVER;
    }

    private void checkBan(@Nullable Ban ban, @Nullable RateLimitKey key) {
        boolean shared = key != null && !key.tellsClientsApart();
        if (ban != null && shared && (placement.isFinal || definition.get(RuleOptions.KEY) != null)) {
            BanCompiler.refuseWithoutKey(definition, problems);
        }
    }

    private void checkCharges(CompiledLimits limits, Costs costs) {
        checkCosts(limits.own, "", costs);
        List<Limit> overriding = limits.overrides.values().stream()
                .flatMap(rule -> rule.limits().stream())
                .filter(limit -> !limits.own.contains(limit))
                .distinct()
                .toList();
        checkCosts(overriding, ": an override", costs);
        checkChargeIf(definition, limits.own, problems);
        if (limits.tiers != null) {
            limits.tiers.rules().forEach((tier, rule) -> {
                checkCosts(rule.limits(), ".tiers." + tier, costs);
                checkChargeIf(definition, rule.limits(), problems);
            });
        }
    }

    private void checkCosts(List<Limit> limits, String part, Costs costs) {
        if (placement.isFinal) {
            CostCompiler.check(definition, costs, limits, part, problems);
        }
    }

    /** A permit in flight is free again when the work is done; to return it earlier would let too many in. */
    static void checkChargeIf(RuleDefinition definition, List<Limit> limits, Problems problems) {
        Setting<String> setting = definition.get(RuleOptions.CHARGE_IF);
        if (setting != null && limits.stream().anyMatch(Limit.Concurrency.class::isInstance)) {
            problems.add(
                    MessageCode.CHARGE_IF,
                    setting.where(),
                    setting.value(),
                    "A limit of the rule is algorithm: concurrency, of which nothing stays charged anyway. Move that"
                            + " limit into a rule of its own, or remove charge-if.");
        }
    }
}
