package dev.limiter.spring.rule;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** The paths and methods of a rule. */
final class RequestMatcher {

    static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private final PathPatterns paths;
    private final Set<String> methods;

    /**
     * @param methods in upper case; empty for all
     */
    RequestMatcher(PathPatterns paths, Set<String> methods) {
        this.paths = paths;
        this.methods = methods;
    }

    boolean matches(@Nullable String method, String endpointPattern, PathContainer path) {
        return matchesMethod(method) && paths.cover(endpointPattern, path);
    }

    Coverage coverage(@Nullable String method, String endpointPattern) {
        return matchesMethod(method) ? paths.coverage(endpointPattern) : Coverage.NONE;
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
