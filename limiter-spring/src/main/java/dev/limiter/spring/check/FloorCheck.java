package dev.limiter.spring.check;

import dev.limiter.spring.compile.Floors;
import dev.limiter.spring.compile.Floors.Floor;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds floors of rules that there are not: their names may be misspellings, and the rules that are meant unbounded.
 */
public final class FloorCheck implements StartupCheck {

    private final Floors floors;
    private final Rules rules;
    private final Supplier<MethodLimits> methods;

    /** {@code methods}: asked for once all beans are there. */
    public FloorCheck(Floors floors, Rules rules, Supplier<MethodLimits> methods) {
        this.floors = floors;
        this.rules = rules;
        this.methods = methods;
    }

    @Override
    public List<Finding> findings() {
        Map<String, Floor> unused = new HashMap<>(floors.byRule());
        if (unused.isEmpty()) {
            return List.of();
        }
        RuleSet current = rules.current();
        Stream<RateLimitRule> limited =
                Stream.concat(methods.get().rules(current).stream(), current.defaultLimit().stream());
        Stream.concat(current.definitions().stream().map(RuleDefinition::name), limited.map(RateLimitRule::name))
                .forEach(name -> unused.remove(RuleName.canonical(name)));
        return unused.values().stream()
                .map(Floor::where)
                .sorted()
                .map(where -> new Finding(
                        MessageCode.FLOOR_WITHOUT_RULE,
                        "Nothing is held to the floor " + where
                                + ": there is no rule of this name. Correct the name, or remove the floor."))
                .toList();
    }
}
