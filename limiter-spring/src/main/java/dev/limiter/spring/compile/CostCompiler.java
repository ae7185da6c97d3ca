package dev.limiter.spring.compile;

import dev.limiter.spring.compiled.Cost;
import dev.limiter.spring.compiled.Costs;
import dev.limiter.spring.expression.ExpressionScope;
import dev.limiter.spring.expression.LimiterExpressionParser;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns the costs of a rule and its limits into numbers or expressions. Thread-safe. */
final class CostCompiler {

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    private final LimiterExpressionParser expressions;

    CostCompiler(LimiterExpressionParser expressions) {
        this.expressions = expressions;
    }

    /** A cost with a problem is 1. */
    Costs compile(RuleDefinition definition, ExpressionScope variables, Problems problems) {
        Map<String, Cost> own = new LinkedHashMap<>();
        definition.limitsByName().forEach((name, limit) -> {
            Setting<String> cost = limit.get(LimitOptions.COST);
            if (cost != null) {
                own.put(name, cost(cost, variables, problems));
            }
        });
        return new Costs(cost(definition.get(RuleOptions.COST), variables, problems), own);
    }

    private Cost cost(@Nullable Setting<String> setting, ExpressionScope variables, Problems problems) {
        Cost cost = setting == null ? null : problems.collect(() -> cost(setting, variables));
        return cost == null ? Cost.ONE : cost;
    }

    private Cost cost(Setting<String> setting, ExpressionScope variables) {
        String text = setting.value().strip();
        // SpEL reads a number without the suffix as an int
        String expression = DIGITS.matcher(text).matches() ? text + "L" : text;
        return Cost.parse(setting, expressions.parse(expression, setting.where(), variables));
    }
}
