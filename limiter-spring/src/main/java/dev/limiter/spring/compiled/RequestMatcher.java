package dev.limiter.spring.compiled;

import dev.limiter.spring.rule.Phase;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/** The paths and methods of a rule. */
public final class RequestMatcher {

    public static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private final PathPatterns paths;
    private final Set<String> methods;
    private final Phase phase;

    /**
     * @param methods in upper case; empty for all
     */
    public RequestMatcher(PathPatterns paths, Set<String> methods, Phase phase) {
        this.paths = paths;
        this.methods = methods;
        this.phase = phase;
    }

    Phase phase() {
        return phase;
    }

    boolean matches(@Nullable String method, String endpointPattern, PathContainer path) {
        return matchesMethod(method) && paths.cover(endpointPattern, path);
    }

    /** The most specific pattern that matches one of these paths; null if there is none. */
    @Nullable
    PathPattern best(String method, List<PathContainer> equivalentPaths) {
        return matchesMethod(method) ? paths.best(equivalentPaths) : null;
    }

    /** The only method that it is for, if it is only one. */
    Optional<String> onlyMethod() {
        return methods.size() == 1 ? Optional.of(methods.iterator().next()) : Optional.empty();
    }

    Coverage coverage(@Nullable String method, String endpointPattern) {
        return matchesMethod(method) ? paths.coverage(endpointPattern) : Coverage.NONE;
    }

    /** The coverage by one of the paths alone. */
    Coverage coverage(String path, @Nullable String method, String endpointPattern) {
        return matchesMethod(method) ? paths.coverage(path, endpointPattern) : Coverage.NONE;
    }

    /** An invented method reaches each endpoint that does not restrict methods, so it is covered by every rule. */
    private boolean matchesMethod(@Nullable String method) {
        return methods.isEmpty()
                || method == null
                || methods.contains(method)
                || (method.equals("HEAD") && methods.contains("GET"))
                || !METHODS.contains(method);
    }
}
