package dev.limiter.spring.compile;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.pattern.PathPatternParser;

/** Compiles the paths and methods of a rule to a matcher. */
public final class RequestMatcherCompiler {

    /** True if Spring Web is on the class path. */
    static final boolean WEB = ClassUtils.isPresent(
            "org.springframework.web.util.pattern.PathPattern", RequestMatcherCompiler.class.getClassLoader());

    /** A query. Without an equals sign, a question mark matches one character. */
    private static final Pattern QUERY = Pattern.compile("\\?.*=");

    /** A path variable, which may contain a regular expression with question marks and equals signs. */
    private static final Pattern VARIABLE = Pattern.compile("\\{[^/]*}");

    private final Supplier<PathPatternParser> parser;

    /** {@code parser}: the application's pattern parser, called at the first request. */
    public RequestMatcherCompiler(Supplier<PathPatternParser> parser) {
        this.parser = parser;
    }

    RequestMatcher compile(RuleDefinition definition, Problems problems) {
        Setting<List<String>> paths = definition.get(RuleOptions.PATHS);
        Setting<List<String>> methods = definition.get(RuleOptions.METHODS);
        Setting<Phase> phase = definition.get(RuleOptions.PHASE);
        if (paths == null && methods != null) {
            needsPaths(methods, String.join(", ", methods.value()), MessageCode.METHODS, problems);
        }
        if (paths == null && phase != null && phase.value() == Phase.REQUEST) {
            needsPaths(phase, phase.value(), MessageCode.PHASE, problems);
        }
        Setting<List<String>> routes = definition.get(RuleOptions.ROUTES);
        if (routes != null && phase != null && phase.value() == Phase.REQUEST) {
            problems.add(
                    MessageCode.PHASE,
                    phase.where(),
                    phase.value(),
                    "The route of a request is not known then. Remove routes and set paths, or remove phase.");
        }
        Set<String> names = methods == null ? Set.of() : methods(methods, problems);
        PathPatterns patterns = paths == null ? null : paths(paths, problems);
        return patterns == null
                ? RequestMatcher.NONE
                : new RequestMatcher(
                        patterns,
                        names,
                        routes == null ? Set.of() : Set.copyOf(routes.value()),
                        phase == null ? Phase.ENDPOINT : phase.value());
    }

    private static void needsPaths(Setting<?> setting, Object value, MessageCode code, Problems problems) {
        problems.add(code, setting.where(), value, "It needs paths. Add paths, such as /**, or remove it.");
    }

    private static Set<String> methods(Setting<List<String>> methods, Problems problems) {
        Set<String> names = new HashSet<>();
        for (String method : methods.value()) {
            names.add(method.strip().toUpperCase(Locale.ROOT));
        }
        if (names.isEmpty() || !RequestMatcher.METHODS.containsAll(names)) {
            problems.add(
                    MessageCode.METHODS,
                    methods.where(),
                    String.join(", ", methods.value()),
                    "It must be HTTP methods: " + String.join(", ", new TreeSet<>(RequestMatcher.METHODS)) + ".");
        }
        return names;
    }

    /** Null if there is a problem. */
    @Nullable
    PathPatterns paths(Setting<List<String>> paths, Problems problems) {
        String reason = reason(paths.value());
        if (reason == null) {
            try {
                return new PathPatterns(paths.value(), parser);
            } catch (IllegalArgumentException exception) {
                // A PatternParseException. The class may be missing, so the code must not name it.
                reason = "It is not a path pattern: " + exception.getMessage() + ".";
            }
        }
        problems.add(
                MessageCode.PATHS,
                paths.where(),
                String.join(", ", paths.value()),
                reason + " Examples: /orders, /orders/{id}, /api/**");
        return null;
    }

    private static @Nullable String reason(List<String> paths) {
        if (!WEB) {
            return "Paths need Spring MVC, which is not on the class path.";
        }
        if (paths.isEmpty() || paths.stream().anyMatch(String::isBlank)) {
            return "A path is empty.";
        }
        return paths.stream()
                        .anyMatch(path -> QUERY.matcher(VARIABLE.matcher(path).replaceAll(""))
                                .find())
                ? "A query is not part of a path. Remove it. To count each value of a parameter separately, use key:"
                        + " \"param:name\"."
                : null;
    }
}
