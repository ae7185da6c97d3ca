package dev.limiter.spring.check;

import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Finds limits that can never be the tighter ones: another limit on the same requests has always refused by then. */
public final class SlackLimitCheck implements StartupCheck {

    private final Rules rules;
    private final OnFailure otherwise;

    /** {@code otherwise}: how a rule that does not say is decided while the storage fails. */
    public SlackLimitCheck(Rules rules, OnFailure otherwise) {
        this.rules = rules;
        this.otherwise = otherwise;
    }

    @Override
    public List<Finding> findings() {
        RuleSet ruleSet = rules.current();
        List<Finding> findings = new ArrayList<>();
        Stream.concat(ruleSet.rules().stream(), ruleSet.defaultLimit().stream())
                .filter(rule -> rule.mode() != Mode.OFF)
                .forEach(rule -> addWithin(rule, findings));
        addBetween(
                ruleSet.pathRules().stream()
                        .filter(rule -> rule.mode() == Mode.ENFORCE)
                        .toList(),
                ruleSet,
                findings);
        return findings;
    }

    private static void addWithin(RateLimitRule rule, List<Finding> findings) {
        List<Limit> limits = rule.rule().limits();
        for (int loose = 0; loose < limits.size(); loose++) {
            for (int tight = 0; tight < limits.size(); tight++) {
                // of two that are the same, the first is the one to keep
                if (tight != loose && implies(rule, tight, loose) && (tight < loose || !implies(rule, loose, tight))) {
                    findings.add(new Finding(
                            MessageCode.SLACK_LIMIT,
                            rule.origin() + ".limits."
                                    + limits.get(loose).name() + ": it never refuses what limits."
                                    + limits.get(tight).name()
                                    + " beside it permits. Remove it, or make it tighter than that."));
                    break;
                }
            }
        }
    }

    /** In the rule's own limits as in those of each tier. */
    private static boolean implies(RateLimitRule rule, int tight, int loose) {
        List<Limit> own = rule.rule().limits();
        return rule.costAlike(own.get(tight), own.get(loose))
                && Stream.concat(Stream.of(rule.rule()), rule.tiers().values().stream())
                        .map(Rule::limits)
                        .allMatch(limits -> ImpliedLimits.implies(limits.get(tight), limits.get(loose)));
    }

    /** Of thousands of rules, few count the same. */
    private void addBetween(List<RateLimitRule> rules, RuleSet ruleSet, List<Finding> findings) {
        Map<Object, List<RateLimitRule>> alike = new LinkedHashMap<>();
        rules.stream()
                .filter(rule -> rule.definition().tiers() == null)
                .forEach(rule -> ruleSet.definition(rule.name())
                        .flatMap(RuleDefinition::counted)
                        .ifPresent(counted -> alike.computeIfAbsent(counted, first -> new ArrayList<>())
                                .add(rule)));
        alike.values().forEach(group -> addWithin(group, findings));
    }

    private void addWithin(List<RateLimitRule> rules, List<Finding> findings) {
        for (int loose = 0; loose < rules.size(); loose++) {
            for (int tight = 0; tight < rules.size(); tight++) {
                RateLimitRule one = rules.get(tight);
                RateLimitRule other = rules.get(loose);
                if (tight != loose && implies(one, other) && (tight < loose || !implies(other, one))) {
                    findings.add(new Finding(
                            MessageCode.SLACK_RULE,
                            other.origin() + ": it counts the same requests as " + one.origin()
                                    + ", and never refuses what that permits. Remove it, or make it tighter than"
                                    + " that."));
                    break;
                }
            }
        }
    }

    /** A rule that is enforced for some keys permits the others all; one that fails open permits all in an outage. */
    private boolean implies(RateLimitRule one, RateLimitRule other) {
        return !one.isEnforcedInPart()
                && strictness(one) >= strictness(other)
                && other.rule().limits().stream()
                        .allMatch(loose ->
                                one.rule().limits().stream().anyMatch(tight -> ImpliedLimits.implies(tight, loose)));
    }

    /** The order of rules by what they refuse while the storage fails. */
    private int strictness(RateLimitRule rule) {
        OnFailure said = rule.definition().value(RuleOptions.ON_FAILURE);
        return switch (said == null ? otherwise : said) {
            case ALLOW -> 0;
            case LOCAL -> 1;
            case DENY -> 2;
        };
    }
}
