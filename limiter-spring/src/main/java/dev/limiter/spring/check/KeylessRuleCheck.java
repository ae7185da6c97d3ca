package dev.limiter.spring.check;

import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleOptions;
import java.util.List;

/** Finds rules with paths but without a key, in which one client can use up the limit of all clients. */
public final class KeylessRuleCheck implements StartupCheck {

    private final Rules rules;

    public KeylessRuleCheck(Rules rules) {
        this.rules = rules;
    }

    @Override
    public List<Finding> findings() {
        return rules.current().pathRules().stream()
                .filter(rule -> rule.live() == null && rule.mode() != Mode.OFF)
                .filter(rule -> rule.definition().get(RuleOptions.KEY) == null)
                .map(rule -> new Finding(
                        MessageCode.RULE_WITHOUT_KEY,
                        rule.origin() + ": all clients share one bucket, because the rule has no key. Set key: ip or"
                                + " key: principal|ip, or key: global if that is intended."))
                .toList();
    }
}
