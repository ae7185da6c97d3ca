package dev.limiter.spring.web.check;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RequestMatcher;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.web.route.ServedPatterns;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds rules whose paths no endpoint has, maybe because they are misspelt or begin with the context path. Those of
 * {@code phase: request} may be about what no endpoint serves.
 */
public final class UnmatchedPathsCheck implements StartupCheck {

    private static final Pattern METHOD = Pattern.compile("([A-Za-z]+)[\\s:]+(/[^,;\\s]*)");

    private final Rules rules;
    private final ObjectProvider<HandlerMapping> mappings;
    private final ApplicationContext application;
    private final String contextPath;

    public UnmatchedPathsCheck(Rules rules, ObjectProvider<HandlerMapping> mappings, ApplicationContext application) {
        this.rules = rules;
        this.mappings = mappings;
        this.application = application;
        this.contextPath = application.getEnvironment().getProperty("server.servlet.context-path", "");
    }

    @Override
    public List<Finding> findings() {
        if (ServedPatterns.mayBeElsewhere(application)) {
            return List.of();
        }
        RuleSet ruleSet = rules.current();
        ServedPatterns endpoints = new ServedPatterns(mappings.stream());
        return ruleSet.pathRules().stream()
                .filter(rule -> rule.mode() != Mode.OFF && rule.live() == null)
                .flatMap(rule -> finding(rule, ruleSet, endpoints).stream())
                .toList();
    }

    private Optional<Finding> finding(RateLimitRule rule, RuleSet ruleSet, ServedPatterns endpoints) {
        Setting<List<String>> paths = paths(rule, ruleSet);
        List<String> unmatched = paths.value().stream()
                .filter(path -> !endpoints.anyUnder(rule, path, ruleSet))
                .toList();
        return unmatched.isEmpty()
                ? Optional.empty()
                : finding(
                        rule,
                        paths.where(),
                        unmatched,
                        unmatched.size() == paths.value().size(),
                        advice(unmatched, path -> endpoints.anyUnder(rule, path, ruleSet), endpoints));
    }

    private static Setting<List<String>> paths(RateLimitRule rule, RuleSet ruleSet) {
        return ruleSet.definition(rule.name())
                .map(definition -> definition.get(RuleOptions.PATHS))
                .orElseThrow();
    }

    private Optional<Finding> finding(
            RateLimitRule rule, String property, List<String> unmatched, boolean all, String advice) {
        String where = property + " = " + String.join(", ", unmatched);
        if (unmatched.stream().anyMatch(this::hasContextPath)) {
            return Optional.of(new Finding(
                    MessageCode.CONTEXT_PATH,
                    where + ": patterns are compared with what follows the context path " + contextPath
                            + ", and no endpoint has such a path. Leave it out."));
        }
        return rule.phase() == Phase.REQUEST
                ? Optional.empty()
                : Optional.of(new Finding(
                        MessageCode.RULE_WITHOUT_ENDPOINT,
                        where + ": no endpoint with these methods has such a path, and no static file, or"
                                + " limiter.web.exclude exempts them all: "
                                + (all
                                        ? "the rule limits nothing. Correct the paths or methods, or remove the rule."
                                        : "only the other paths of the rule limit anything. Correct this one, or"
                                                + " remove it.")
                                + advice));
    }

    private boolean hasContextPath(String path) {
        return contextPath.length() > 1 && (path.equals(contextPath) || path.startsWith(contextPath + "/"));
    }

    /** {@code isServed}: whether an endpoint has a path. */
    private static String advice(List<String> paths, Predicate<String> isServed, ServedPatterns endpoints) {
        for (String path : paths) {
            String single = path.replaceAll("//+", "/").replaceAll("(?<=.)/$", "");
            if (!single.equals(path) && isServed.test(single)) {
                return " Without the slash too many, " + single + " covers what there is.";
            }
            Matcher method = METHOD.matcher(path);
            if (method.lookingAt()
                    && RequestMatcher.METHODS.contains(method.group(1).toUpperCase(Locale.ROOT))) {
                return " A path has no method: write methods: ["
                        + method.group(1).toUpperCase(Locale.ROOT) + "] beside " + method.group(2) + ".";
            }
            String[] several = path.split("[,;\\s]+(?=/)");
            if (several.length > 1) {
                return " That is more than one path: write [\"" + String.join("\", \"", several) + "\"].";
            }
            Optional<String> longer = endpoints.below(path);
            if (longer.isPresent()) {
                return " There is " + longer.get() + ", which " + path + "/** covers.";
            }
        }
        return "";
    }
}
