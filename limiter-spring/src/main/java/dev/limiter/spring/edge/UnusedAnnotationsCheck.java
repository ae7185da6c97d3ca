package dev.limiter.spring.edge;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.Coverage;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * Finds attributes of annotations that have no effect, because a rule with the same name has paths that cover the
 * endpoint. Only the rule counts its requests.
 */
public final class UnusedAnnotationsCheck implements StartupCheck {

    /** A handler method, the class of its bean, and the patterns that it is mapped to. */
    public record Mapped(Method method, Class<?> type, Set<String> patterns) {}

    private final Rules rules;
    private final Supplier<Stream<Mapped>> endpoints;

    public UnusedAnnotationsCheck(Rules rules, Supplier<Stream<Mapped>> endpoints) {
        this.rules = rules;
        this.endpoints = endpoints;
    }

    @Override
    public List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        endpoints
                .get()
                .forEach(mapped -> annotations(mapped.method).forEach(annotation -> add(annotation, mapped, findings)));
        return findings;
    }

    private static List<RateLimiter> annotations(Method handler) {
        return MergedAnnotations.from(
                        handler, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                .stream(RateLimiter.class)
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    private void add(RateLimiter annotation, Mapped mapped, List<Finding> findings) {
        String where = "@RateLimiter on " + mapped.type.getName() + "." + mapped.method.getName();
        RuleSet ruleSet = rules.current();
        RateLimitRule rule = ruleSet.find(annotation.name()).orElse(null);
        if (rule != null && rule.mode() != Mode.OFF && covers(rule, mapped.patterns)) {
            List<String> unused =
                    unused(annotation, ruleSet.definition(rule.name()).orElseThrow());
            if (!unused.isEmpty()) {
                findings.add(new Finding(
                        MessageCode.SWALLOWED_ANNOTATION,
                        where + ": " + String.join(", ", unused) + " has no effect, because only"
                                + " " + rule.origin() + ", whose paths cover the endpoint, counts its requests. Move"
                                + " the attribute into the rule, or give the annotation another name."));
            }
        }
    }

    private static boolean covers(RateLimitRule rule, Set<String> patterns) {
        return patterns.stream().anyMatch(pattern -> rule.matcher().coverage(null, pattern) == Coverage.ALL);
    }

    /** Returns the attributes that only the annotation has. */
    private static List<String> unused(RateLimiter annotation, RuleDefinition rule) {
        List<String> unused = new ArrayList<>();
        add(RuleOptions.COST, annotation.cost(), rule, unused);
        add(RuleOptions.KEY, annotation.key(), rule, unused);
        add(RuleOptions.CONDITION, annotation.condition(), rule, unused);
        add(RuleOptions.CHARGE_IF, annotation.chargeIf(), rule, unused);
        add(RuleOptions.PRIORITY, annotation.priority(), rule, unused);
        return unused;
    }

    private static void add(Option<?> option, String value, RuleDefinition rule, List<String> unused) {
        boolean isDefault = value.isEmpty() || option == RuleOptions.COST && value.equals("1");
        if (!isDefault && rule.get(option) == null) {
            unused.add(option.attribute() + " = \"" + value + "\"");
        }
    }
}
