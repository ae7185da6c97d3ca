package dev.limiter.spring.compile;

import dev.limiter.spring.expression.BooleanExpression;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.key.RateLimitKey;
import dev.limiter.spring.key.UnresolvedKeys;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.HeaderStyle;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Compiles one rule: each step compiles some settings and collects their problems. Not thread-safe. */
final class RuleCompilation {

    private static final int MOST_LEASED = 50;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVICE_UNAVAILABLE = 503;

    private final RuleCompiler compiler;
    private final RuleDefinition definition;
    private final Placement placement;
    private final Problems problems = new Problems();

    /**
     * Where a rule applies: to paths or to a method.
     *
     * @param variables the variables of expressions before the decision
     * @param outcome the variables of expressions after the request or call
     * @param isFinal true if no annotation can complete the rule, so that a missing key means one bucket
     * @param scoped restricts the key to the scope
     */
    record Placement(
            ExpressionScope variables,
            ExpressionScope outcome,
            boolean isFinal,
            Scope scope,
            UnaryOperator<RateLimitKey> scoped) {}

    RuleCompilation(RuleCompiler compiler, RuleDefinition definition, Placement placement) {
        this.compiler = compiler;
        this.definition = definition;
        this.placement = placement;
    }

    /**
     * Returns the compiled rule. Reports problems in the order of the steps.
     *
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if there are problems
     */
    RateLimitRule compile() {
        Duration maxWait = WaitingCompiler.maxWait(definition, compiler.steps, problems);
        Costs costs = costs();
        RateLimitRule.Limits limits =
                new LimitsCompilation(compiler, definition, placement, maxWait, costs, problems).compile();
        RateLimitKey key = problems.collect(() -> key(definition.get(RuleOptions.KEY)));
        RateLimitRule.Requests requests = requests();
        ChargeIf chargeIf = compiled(RuleOptions.CHARGE_IF, this::chargeIf);
        Waiting waiting = waiting(maxWait);
        RateLimitRule.Enforcement enforcement = enforcement(key);
        compiler.caps.check(definition, enforcement.rollout(), problems);
        Setting<String> lease = definition.get(RuleOptions.LEASE);
        if (lease != null) {
            problems.collect(() -> OptionValues.percent(lease, MOST_LEASED, MessageCode.LEASE));
        }
        checkStatus();
        RateLimitKey valid = problems.valid(key);
        return new RateLimitRule(
                definition,
                placement.scope,
                problems.valid(limits),
                requests,
                new RateLimitRule.Charging(placement.scoped.apply(valid), unresolved(), costs, chargeIf, waiting),
                enforcement,
                new RateLimitRule.ResponseOptions(headers(), protectsApplication()),
                definition.value(CandidateRules.LIVE));
    }

    /** Returns the cost; 1 if it has a problem. */
    private Costs costs() {
        Map<String, Cost> own = new LinkedHashMap<>();
        definition.limitsByName().forEach((name, limit) -> {
            Setting<String> cost = limit.get(LimitOptions.COST);
            if (cost != null) {
                own.put(name, cost(cost));
            }
        });
        return new Costs(cost(definition.get(RuleOptions.COST)), own);
    }

    private Cost cost(@Nullable Setting<String> setting) {
        Cost cost = setting == null
                ? null
                : problems.collect(() -> Cost.parse(setting, compiler.expressions, placement.variables));
        return cost == null ? Cost.ONE : cost;
    }

    private RateLimitRule.Requests requests() {
        BooleanExpression condition = compiled(RuleOptions.CONDITION, setting -> condition(setting, true));
        return new RateLimitRule.Requests(
                compiler.matchers.compile(definition, problems),
                AddressLists.compile(definition, problems).and(compiler.everywhere),
                condition == null ? BooleanExpression.ALWAYS : condition);
    }

    private Waiting waiting(Duration maxWait) {
        BooleanExpression priority = compiled(RuleOptions.PRIORITY, setting -> condition(setting, false));
        Setting<String> reserve = definition.get(RuleOptions.RESERVE);
        if (reserve != null && definition.get(RuleOptions.PRIORITY) == null && placement.isFinal) {
            problems.add(
                    MessageCode.PRIORITY,
                    reserve.where(),
                    reserve.value(),
                    "A reserve needs a priority. Set priority to an expression that is true for the requests that"
                            + " may use the reserve.");
        }
        return WaitingCompiler.compile(definition, maxWait, priority, problems);
    }

    private RateLimitRule.Enforcement enforcement(@Nullable RateLimitKey key) {
        Ban ban = BanCompiler.compile(definition, compiler.steps, problems);
        if (ban != null) {
            checkKey(key, MessageCode.BAN_WITHOUT_KEY, definition.origin().of("ban"), null);
        }
        Setting<String> set = definition.get(RuleOptions.ROLLOUT);
        Rollout rollout = compiled(RuleOptions.ROLLOUT, OptionValues::rollout);
        if (set != null && rollout != null) {
            checkKey(key, MessageCode.ROLLOUT, set.where(), set.value());
        }
        Mode all = definition.value(ChangeOrigin.MODE_OF_ALL, compiler.mode);
        return new RateLimitRule.Enforcement(
                all.weaker(definition.value(RuleOptions.MODE, all)), rollout == null ? Rollout.ALL : rollout, ban);
    }

    /** Checks that the key identifies clients. With a shared key, an attacker could ban all clients. */
    private void checkKey(@Nullable RateLimitKey key, MessageCode code, String where, @Nullable String value) {
        Setting<List<String>> set = definition.get(RuleOptions.KEY);
        if (key != null && !key.tellsClientsApart() && (placement.isFinal || set != null)) {
            problems.add(
                    code,
                    where,
                    value,
                    "It needs a key that identifies clients, such as key: ip. "
                            + (set == null
                                    ? "The rule has no key."
                                    : "With key: " + String.join(",", set.value()) + ", all clients share one key."));
        }
    }

    private RateLimitKey key(@Nullable Setting<List<String>> key) {
        RateLimitKey parsed =
                key == null ? RateLimitKey.GLOBAL : compiler.keys.parse(key.value(), key.where(), placement.variables);
        return placement.isFinal || !parsed.isForAll() ? parsed : RateLimitKey.IN_CODE;
    }

    /**
     * Returns the counter of unresolved keys. Null without a key, and for a candidate, which has the key of its rule.
     */
    private UnresolvedKeys.@Nullable OfRule unresolved() {
        Setting<List<String>> key = definition.get(RuleOptions.KEY);
        return key == null || definition.value(CandidateRules.LIVE) != null
                ? null
                : compiler.unresolved.of(definition.name(), key.where());
    }

    /** Parses a condition; {@code inCode}: its value for calls outside of a request, if it needs one. */
    private BooleanExpression condition(Setting<String> setting, boolean inCode) {
        return BooleanExpression.of(
                compiler.expressions.parse(setting.value(), setting.where(), placement.variables),
                "#request.method == 'GET'",
                inCode);
    }

    private ChargeIf chargeIf(Setting<String> setting) {
        return ChargeIf.parse(setting, compiler.expressions, placement.outcome);
    }

    /** Compiles a setting; returns null without a setting, and if it has a problem. */
    private <T> @Nullable T compiled(Option<String> option, Function<Setting<String>, T> compile) {
        Setting<String> setting = definition.get(option);
        return setting == null ? null : problems.collect(() -> compile.apply(setting));
    }

    /**
     * Returns the header style. Limits that protect the application send no fields by default, because clients cannot
     * adapt to them.
     */
    private HeaderStyle headers() {
        return definition.value(RuleOptions.HEADERS, protectsApplication() ? HeaderStyle.NONE : compiler.headers);
    }

    private boolean protectsApplication() {
        return definition.value(RuleOptions.STATUS, TOO_MANY_REQUESTS) == SERVICE_UNAVAILABLE;
    }

    private void checkStatus() {
        Setting<Integer> status = definition.get(RuleOptions.STATUS);
        if (status != null && status.value() != TOO_MANY_REQUESTS && status.value() != SERVICE_UNAVAILABLE) {
            problems.add(MessageCode.OUT_OF_RANGE, status.where(), status.value(), "It must be 429 or 503.");
        }
    }
}
