package dev.limiter.spring.decide;

import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
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

/** The rules that code or gateway routes name, as they are now. Thread-safe. */
public final class NamedRules {

    private record OfSet(RuleSet set, Map<String, NamedRule> byName) {}

    private final Rules rules;
    private volatile OfSet known;

    /** {@code applicable}: the rule, and its candidate. */
    public record NamedRule(RateLimitRule rule, ApplicableRules applicable) {

        /** The decision for the code that named the rule. */
        public Decision decision(Verdict verdict) {
            return verdict.inCode(rule.rule());
        }
    }

    public NamedRules(Rules rules) {
        this.rules = rules;
        this.known = new OfSet(rules.current(), new ConcurrentHashMap<>());
    }

    /**
     * Returns the rule with a name.
     *
     * @param user names it, such as {@code The filter Limiter of the route orders}
     * @throws LimiterConfigurationException if there is no rule of this name, or it has no limit
     */
    public NamedRule get(String name, String user) {
        RuleSet current = rules.current();
        OfSet used = known;
        if (used.set != current) {
            used = new OfSet(current, new ConcurrentHashMap<>());
            known = used;
        }
        String canonical = RuleName.canonical(name);
        NamedRule found = used.byName.get(canonical);
        return found == null ? used.byName.computeIfAbsent(canonical, unknown -> find(name, user, current)) : found;
    }

    private static NamedRule find(String name, String user, RuleSet set) {
        RateLimitRule rule = set.find(name).orElseThrow(() -> unknown(name, user, set));
        Stream<RateLimitRule> candidates =
                set.rules().stream().filter(other -> rule.name().equals(other.live()));
        return new NamedRule(
                rule,
                ApplicableRules.of(Stream.concat(Stream.of(rule), candidates).toList()));
    }

    private static LimiterConfigurationException unknown(String name, String user, RuleSet set) {
        return new LimiterConfigurationException(set.definition(name)
                .map(definition -> withoutLimit(definition, user))
                .orElseGet(() -> new Problem(
                        MessageCode.UNKNOWN_RULE,
                        user,
                        name,
                        "No rule has this name. Add limiter.rules." + name
                                + " to the configuration, or declare it in a RuleSource bean."
                                + DidYouMean.ask(name, names(set)))));
    }

    private static List<String> names(RuleSet set) {
        return set.rules().stream()
                .filter(rule -> rule.live() == null)
                .map(RateLimitRule::name)
                .toList();
    }

    private static Problem withoutLimit(RuleDefinition definition, String user) {
        return new Problem(
                MessageCode.LIMIT_MISSING,
                definition.origin().toString(),
                null,
                user + " names this rule, but the rule has no limit. Set limit and window, such as limit: 100 and"
                        + " window: 1m.");
    }
}
