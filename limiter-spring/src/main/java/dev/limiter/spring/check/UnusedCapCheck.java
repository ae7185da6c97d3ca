package dev.limiter.spring.check;

import dev.limiter.spring.compile.Caps;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds caps without a rule, for example because their name is misspelled. */
public final class UnusedCapCheck implements StartupCheck {

    private final Caps caps;
    private final Rules rules;
    private final MethodLimits methods;

    public UnusedCapCheck(Caps caps, Rules rules, MethodLimits methods) {
        this.caps = caps;
        this.rules = rules;
        this.methods = methods;
    }

    @Override
    public List<Finding> findings() {
        RuleSet current = rules.current();
        Set<String> names = Stream.concat(
                        current.definitions().stream().map(RuleDefinition::name),
                        methods.rules(current).stream().map(RateLimitRule::name))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = names.stream().map(RuleName::canonical).collect(Collectors.toSet());
        // A cap for the automatic limit may be part of a configuration that several applications share.
        known.add(RuleName.DEFAULT);
        return caps.byRule().entrySet().stream()
                .filter(cap -> !known.contains(cap.getKey()))
                .map(cap -> finding(cap.getValue(), cap.getKey(), names))
                .toList();
    }

    private static Finding finding(Caps.Cap cap, String name, Set<String> names) {
        return new Finding(
                MessageCode.UNUSED_CAP,
                cap.where() + " limits nothing, because no rule has this name. Correct the name, or remove the cap."
                        + DidYouMean.ask(name, names));
    }
}
