package dev.limiter.spring.check;

import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.MessageCode;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds rules that an expression or a network exempts all requests from: another setting switches a rule off, and is shown. */
public final class SwitchedOffCheck implements StartupCheck {

    private final Rules rules;
    private final Supplier<MethodLimits> methods;

    /** {@code methods}: asked for once all beans are there. */
    public SwitchedOffCheck(Rules rules, Supplier<MethodLimits> methods) {
        this.rules = rules;
        this.methods = methods;
    }

    @Override
    public List<Finding> findings() {
        RuleSet current = rules.current();
        return Stream.of(
                        current.rules().stream(),
                        current.defaultLimit().stream(),
                        methods.get().rules(current).stream())
                .flatMap(all -> all)
                .map(RateLimitRule::switchedOffBy)
                .filter(Objects::nonNull)
                .distinct()
                .map(setting -> new Finding(
                        MessageCode.SWITCHED_OFF,
                        setting.where() + " = " + setting.value()
                                + " is the same for all requests, so that nothing is limited. To switch it off,"
                                + " write mode: off, or mode: shadow to only watch; otherwise say which requests are"
                                + " meant, such as \"#request.method == 'GET'\"."))
                .toList();
    }
}
