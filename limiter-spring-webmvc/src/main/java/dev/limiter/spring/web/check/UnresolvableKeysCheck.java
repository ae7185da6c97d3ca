package dev.limiter.spring.web.check;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.decide.MethodLimits;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.key.KeyParser;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.web.route.ServedPatterns;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds keys that no request can have, so that all requests share one bucket: path variables without an endpoint of the
 * rule, and users of an application without a login.
 */
public final class UnresolvableKeysCheck implements StartupCheck {

    private static final Pattern VARIABLE = Pattern.compile("\\{\\*?(\\w+)");

    private final Rules rules;
    private final Supplier<MethodLimits> methods;
    private final ObjectProvider<HandlerMapping> mappings;
    private final ApplicationContext context;
    private final Supplier<Stream<?>> registered;

    /**
     * @param methods asked for once all beans are there
     * @param registered the filters that the application registers itself, beside those that are beans
     */
    public UnresolvableKeysCheck(
            Rules rules,
            Supplier<MethodLimits> methods,
            ObjectProvider<HandlerMapping> mappings,
            ApplicationContext context,
            Supplier<Stream<?>> registered) {
        this.rules = rules;
        this.methods = methods;
        this.mappings = mappings;
        this.context = context;
        this.registered = registered;
    }

    @Override
    public List<Finding> findings() {
        RuleSet ruleSet = rules.current();
        ServedPatterns endpoints = new ServedPatterns(mappings.stream());
        List<Finding> findings = new ArrayList<>();
        ruleSet.pathRules().forEach(rule -> add(rule, endpoints.patternsUnder(rule, ruleSet), findings));
        ruleSet.defaultLimit().ifPresent(rule -> add(rule, endpoints.patterns(ruleSet), findings));
        // UnusedAnnotationsCheck looks for the path variables of these
        methods.get().rules(ruleSet).forEach(rule -> add(rule, List.of(), findings));
        // a candidate has the key of its rule, and methods may share a rule
        return findings.stream().distinct().toList();
    }

    /** {@code patterns}: of the endpoints that the rule may apply to; empty if they are not looked at. */
    private void add(RateLimitRule rule, List<String> patterns, List<Finding> findings) {
        Setting<List<String>> key = rule.definition().get(RuleOptions.KEY);
        if (key != null && rule.mode() != Mode.OFF) {
            String effect = effect(key.value());
            onlyAlternatives(key).forEach(part -> add(part, key.where(), effect, patterns, findings));
        }
    }

    /** Parts that nothing stands in for. */
    private static Stream<String> onlyAlternatives(Setting<List<String>> key) {
        return KeyParser.alternatives(key.value()).stream()
                .filter(alternatives -> alternatives.size() == 1)
                .map(alternatives -> alternatives.get(0));
    }

    /** The effect of a part that no request has. */
    static String effect(List<String> key) {
        return KeyParser.alternatives(key).size() == 1
                ? "all requests share one bucket"
                : "this part of the key is the same for all requests";
    }

    private void add(String part, String where, String effect, List<String> patterns, List<Finding> findings) {
        if (part.startsWith("path:")) {
            String name = part.substring("path:".length()).strip();
            if (!patterns.isEmpty()
                    && patterns.stream().noneMatch(pattern -> ServedPatterns.mayHaveVariable(pattern, name))) {
                findings.add(noVariable(where, name, effect, patterns));
            }
        } else if (part.equals("principal") && !maybePrincipals()) {
            findings.add(new Finding(
                    MessageCode.NO_PRINCIPAL,
                    where
                            + " = principal: nothing here logs users in (there is no Spring Security, and no filter"
                            + " of the application), so that " + effect + ". Add what does, or use key: ip."));
        }
    }

    static Finding noVariable(String where, String name, String effect, List<String> patterns) {
        Set<String> variables = new TreeSet<>();
        for (String pattern : patterns) {
            Matcher matcher = VARIABLE.matcher(pattern);
            while (matcher.find()) {
                variables.add(matcher.group(1));
            }
        }
        return new Finding(
                MessageCode.NO_PATH_VARIABLE,
                where + " = path:" + name + ": no endpoint that is covered has this path variable, so that "
                        + effect + ". There "
                        + (variables.isEmpty() ? "are none" : "is " + String.join(", ", variables))
                        + "." + DidYouMean.ask(name, variables));
    }

    /** Spring Security is a filter by that name; others may wrap requests, too. */
    private boolean maybePrincipals() {
        return context.containsBean("springSecurityFilterChain")
                || Stream.concat(context.getBeanProvider(Filter.class).stream(), registered.get())
                        .map(filter -> filter.getClass().getName())
                        .anyMatch(name -> !name.startsWith("org.springframework.")
                                && !name.startsWith("dev.limiter.spring.web."));
    }
}
