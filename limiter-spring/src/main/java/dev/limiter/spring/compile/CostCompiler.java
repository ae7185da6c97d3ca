package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.compiled.Cost;
import dev.limiter.spring.compiled.Costs;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns what a rule and its limits say of costs into those, or says what is wrong. Thread-safe. */
final class CostCompiler {

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final int MAX_DIGITS = Long.toString(Limit.MAX_PERMITS).length();

    private final LimiterExpressionParser expressions;

    CostCompiler(LimiterExpressionParser expressions) {
        this.expressions = expressions;
    }

    /** A cost with a problem is 1. */
    Costs compile(RuleDefinition definition, ExpressionScope variables, Problems problems) {
        Cost common = cost(definition.get(RuleOptions.COST), variables, problems);
        Map<String, Cost> own = new LinkedHashMap<>();
        definition.limitsByName().forEach((name, limit) -> {
            Setting<String> cost = limit.get(LimitOptions.COST);
            if (cost != null) {
                own.put(name, cost(cost, variables, problems));
            }
        });
        checkUsed(definition, own, problems);
        return new Costs(common, own);
    }

    private Cost cost(@Nullable Setting<String> setting, ExpressionScope variables, Problems problems) {
        if (setting == null) {
            return Cost.ONE;
        }
        String text = setting.value().strip();
        boolean isNumber = DIGITS.matcher(text).matches();
        if (isNumber && text.length() > MAX_DIGITS) {
            problems.add(
                    MessageCode.COST,
                    setting.where(),
                    setting.value(),
                    "This must be from 1 to " + Limit.MAX_PERMITS + ".");
            return Cost.ONE;
        }
        // SpEL needs the suffix for what is more than an int
        Cost cost = problems.collect(
                () -> Cost.parse(setting, expressions.parse(isNumber ? text + "L" : text, setting.where(), variables)));
        return cost == null ? Cost.ONE : cost;
    }

    /** The attributes of an annotation may be overruled from outside. */
    private static void checkUsed(RuleDefinition definition, Map<String, Cost> own, Problems problems) {
        Setting<String> common = definition.get(RuleOptions.COST);
        boolean written =
                common != null && common.where().equals(definition.origin().of("cost"));
        if (common != null && written && own.size() == definition.limitsByName().size()) {
            problems.add(
                    MessageCode.COST,
                    common.where(),
                    common.value(),
                    "Each limit of the rule has a cost of its own, so that nothing would cost this. Remove it, or one"
                            + " of those.");
        }
    }

    /**
     * A request that costs more than a limit can ever grant would never be permitted. {@code tier}: of the limits;
     * empty if none.
     */
    static void check(RuleDefinition definition, Costs costs, List<Limit> limits, String tier, Problems problems) {
        for (Limit limit : limits) {
            Cost cost = costs.of(limit.name());
            Setting<String> setting = cost.setting();
            if (setting != null && cost.isFixed() && cost.fixed() > limit.capacity()) {
                problems.add(
                        MessageCode.IMPOSSIBLE_COST,
                        setting.where(),
                        setting.value(),
                        "The cost is more than can ever be granted at once: " + limit.capacity()
                                + ", the burst or limit of " + definition.origin() + tier
                                + (limit.name().isEmpty() ? "" : ".limits." + limit.name())
                                + ". Raise that, or lower the cost.");
            }
        }
    }
}
