package dev.limiter.spring.template;

import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.decide.ApplicableRules;
import dev.limiter.spring.decide.Verdict;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Caches the rules of one set that code uses. Thread-safe. */
final class NamedRules {

    final RuleSet set;
    private final Map<String, NamedRule> byName = new ConcurrentHashMap<>();

    /** A rule; {@code applicable}: the rule and its candidate. */
    record NamedRule(RateLimitRule rule, ApplicableRules applicable) {

        /** Returns the decision for the calling code. */
        Decision decision(Verdict verdict) {
            return verdict.inCode(rule.rule());
        }
    }

    NamedRules(RuleSet set) {
        this.set = set;
    }

    /** @throws LimiterConfigurationException if the rule is unknown, or has no limit */
    NamedRule get(String name) {
        String canonical = RuleName.canonical(name);
        NamedRule known = byName.get(canonical);
        return known == null ? byName.computeIfAbsent(canonical, unknown -> find(name)) : known;
    }

    private NamedRule find(String name) {
        RateLimitRule rule = set.find(name).orElseThrow(() -> unknown(name));
        Stream<RateLimitRule> candidates =
                set.rules().stream().filter(other -> rule.name().equals(other.live()));
        return new NamedRule(
                rule,
                ApplicableRules.of(Stream.concat(Stream.of(rule), candidates).toList()));
    }

    private LimiterConfigurationException unknown(String name) {
        return new LimiterConfigurationException(set.definition(name)
                .map(NamedRules::withoutLimit)
                .orElseGet(() -> new Problem(
                        MessageCode.UNKNOWN_RULE,
                        "The rule of a RateLimitTemplate call",
                        name,
                        "No rule has this name. Add limiter.rules." + name
                                + " to the configuration, or declare it in a RuleSource bean."
                                + DidYouMean.ask(name, names()))));
    }

    private List<String> names() {
        return set.rules().stream()
                .filter(rule -> rule.live() == null)
                .map(RateLimitRule::name)
                .toList();
    }

    private static Problem withoutLimit(RuleDefinition definition) {
        return new Problem(
                MessageCode.LIMIT_MISSING,
                definition.origin().toString(),
                null,
                "Code uses this rule with a RateLimitTemplate, but the rule has no limit. Set limit and window, such"
                        + " as" + " limit: 100 and window: 1m.");
    }
}
