package dev.limiter.spring.check;

import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds rules with {@code charge-if} over many paths in which requests do not wait. Each request holds its permits
 * until its response is known, so parallel requests are rejected that would be refunded in the end.
 */
public final class ParallelChargesCheck implements StartupCheck {

    private final Rules rules;

    public ParallelChargesCheck(Rules rules) {
        this.rules = rules;
    }

    @Override
    public List<Finding> findings() {
        return rules.current().pathRules().stream()
                .filter(rule -> rule.live() == null && rule.mode() != Mode.OFF && !rule.makesWait())
                .filter(rule -> rule.definition().value(RuleOptions.PATHS, List.of()).stream()
                        .anyMatch(path -> path.endsWith("/**")))
                .flatMap(rule -> Stream.ofNullable(rule.definition().get(RuleOptions.CHARGE_IF))
                        .map(chargeIf -> finding(rule, chargeIf)))
                .toList();
    }

    private static Finding finding(RateLimitRule rule, Setting<String> chargeIf) {
        String advice = rule.phase() == Phase.REQUEST
                ? "Set a limit above the parallel requests of one client, or only the paths of the login."
                : "Set max-wait: 1s, so that they queue until a permit is refunded.";
        return new Finding(
                MessageCode.PARALLEL_CHARGES,
                chargeIf.where() + " = " + chargeIf.value() + ": a request holds its permits until its response"
                        + " is known, so parallel requests above the limit are rejected, even if none of them"
                        + " is charged. " + advice);
    }
}
