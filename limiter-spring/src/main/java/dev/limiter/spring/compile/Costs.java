package dev.limiter.spring.compile;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The number of permits that one request takes from each limit of a rule. Immutable, thread-safe. */
final class Costs {

    private final Cost common;
    private final Map<String, Cost> own;

    /**
     * @param common the cost for limits without their own
     * @param own costs by limit name
     */
    public Costs(Cost common, Map<String, Cost> own) {
        this.common = common;
        this.own = Collections.unmodifiableMap(new LinkedHashMap<>(own));
    }

    /** Returns the cost of a request for a limit. */
    public Cost of(String limit) {
        return own.getOrDefault(limit, common);
    }

    /** Returns whether all requests cost the same. */
    boolean isFixed() {
        return common.isFixed() && own.values().stream().allMatch(Cost::isFixed);
    }

    /**
     * Returns the charge of one request.
     *
     * @param rule the limits that apply to it
     * @throws dev.limiter.spring.expression.RuleEvaluationException if a cost cannot be evaluated
     */
    Charge charge(Rule rule, String key, RateLimitContext context) {
        return own.isEmpty() ? rule.charge(key, common.of(context)) : charge(rule, key, cost -> cost.of(context));
    }

    /** Returns the charge of any request. The cost must be {@linkplain #isFixed() fixed}. */
    Charge fixed(Rule rule, String key) {
        return charge(rule, key, Cost::fixed);
    }

    private Charge charge(Rule rule, String key, ToLongFunction<Cost> permits) {
        boolean noneInCommon = true;
        for (Limit limit : rule.limits()) {
            noneInCommon &= own.containsKey(limit.name());
        }
        Charge charge = rule.charge(key, noneInCommon ? 0 : permits.applyAsLong(common));
        for (Limit limit : rule.limits()) {
            Cost cost = own.get(limit.name());
            charge = cost == null ? charge : charge.cost(limit.name(), permits.applyAsLong(cost));
        }
        return charge;
    }
}
