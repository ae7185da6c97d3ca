package dev.limiter.spring.web;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compile.Rules;
import dev.limiter.spring.edge.UnmatchedPaths;
import dev.limiter.spring.web.route.ServedPatterns;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds rules with paths that no endpoint has, for example because they are misspelled. Skips rules with
 * {@code phase: request}, which may be for paths that no endpoint serves.
 */
public final class UnmatchedPathsCheck implements StartupCheck {

    private final Rules rules;
    private final ObjectProvider<HandlerMapping> mappings;
    private final ApplicationContext application;

    public UnmatchedPathsCheck(Rules rules, ObjectProvider<HandlerMapping> mappings, ApplicationContext application) {
        this.rules = rules;
        this.mappings = mappings;
        this.application = application;
    }

    @Override
    public List<Finding> findings() {
        if (ServedPatterns.mayBeElsewhere(application)) {
            return List.of();
        }
        return UnmatchedPaths.findings(
                rules.current(), new ServedPatterns(mappings.stream()).paths(), ServedPatterns.hasGateway(application));
    }
}
