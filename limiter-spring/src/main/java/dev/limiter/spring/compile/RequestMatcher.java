package dev.limiter.spring.compile;

import dev.limiter.spring.rule.Phase;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/** The paths and methods of a rule. Immutable, thread-safe. */
public final class RequestMatcher {

    public static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    /** Matches no request: that of a rule without paths. */
    public static final RequestMatcher NONE = new RequestMatcher(null, Set.of(), Phase.ENDPOINT);

    final @Nullable PathPatterns paths;
    private final Set<String> methods;
    final Phase phase;

    /**
     * @param paths null for none
     * @param methods in upper case; empty for all
     */
    public RequestMatcher(@Nullable PathPatterns paths, Set<String> methods, Phase phase) {
        this.paths = paths;
        this.methods = methods;
        this.phase = phase;
    }

    /**
     * Whether it matches a request.
     *
     * @param method the method of the request
     * @param endpointPattern the best matching pattern, empty if there is none
     * @param path the path within the application, as parsed for routing
     */
    public boolean matches(@Nullable String method, String endpointPattern, PathContainer path) {
        return paths != null && matchesMethod(method) && paths.cover(endpointPattern, path);
    }

    /**
     * The most specific pattern that matches a request by its path alone; null if there is none.
     *
     * @param equivalentPaths within the application, different ways to read that of the request
     */
    public @Nullable PathPattern best(String method, List<PathContainer> equivalentPaths) {
        return paths != null && matchesMethod(method) ? paths.best(equivalentPaths) : null;
    }

    /** The only method that it is for, if it is only one. */
    public Optional<String> onlyMethod() {
        return methods.size() == 1 ? Optional.of(methods.iterator().next()) : Optional.empty();
    }

    /** The result of {@link #matches} for all paths of an endpoint, if that is always the same. */
    public Coverage coverage(@Nullable String method, String endpointPattern) {
        return paths != null && matchesMethod(method) ? paths.coverage(endpointPattern) : Coverage.NONE;
    }

    /** The coverage by one of the paths alone, as it was written. */
    public Coverage coverage(String path, @Nullable String method, String endpointPattern) {
        return paths != null && matchesMethod(method) ? paths.coverage(path, endpointPattern) : Coverage.NONE;
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
