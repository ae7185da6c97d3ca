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

    /** Matches no request, for rules without paths. */
    public static final RequestMatcher NONE = new RequestMatcher(null, Set.of(), Set.of(), Phase.ENDPOINT);

    final @Nullable PathPatterns paths;
    private final Set<String> methods;
    private final Set<String> routes;
    final Phase phase;

    /**
     * @param paths null for none
     * @param methods in upper case; empty for all
     * @param routes ids of gateway routes; empty for all requests
     */
    public RequestMatcher(@Nullable PathPatterns paths, Set<String> methods, Set<String> routes, Phase phase) {
        this.paths = paths;
        this.methods = methods;
        this.routes = routes;
        this.phase = phase;
    }

    /** Returns whether it is for requests of a gateway route; {@code id} is null for requests that take no route. */
    public boolean isForRoute(@Nullable String id) {
        return routes.isEmpty() || id != null && routes.contains(id);
    }

    /** Returns whether it is only for requests of gateway routes. */
    public boolean needsRoute() {
        return !routes.isEmpty();
    }

    /**
     * Returns whether it matches a request.
     *
     * @param method the method of the request
     * @param endpointPattern the best matching pattern, empty if there is none
     * @param path the path within the application, as parsed for routing
     */
    public boolean matches(@Nullable String method, String endpointPattern, PathContainer path) {
        return paths != null && matchesMethod(method) && paths.cover(endpointPattern, path);
    }

    /**
     * Returns the most specific pattern that matches a request by its path alone; null if there is none.
     *
     * @param equivalentPaths within the application, the possible readings of the request's path
     */
    public @Nullable PathPattern best(String method, List<PathContainer> equivalentPaths) {
        return paths != null && matchesMethod(method) ? paths.best(equivalentPaths) : null;
    }

    /** Returns the method, if the rule is restricted to exactly one. */
    public Optional<String> onlyMethod() {
        return methods.size() == 1 ? Optional.of(methods.iterator().next()) : Optional.empty();
    }

    /** Returns how the matcher covers the paths of an endpoint. */
    public Coverage coverage(@Nullable String method, String endpointPattern) {
        return paths != null && matchesMethod(method) ? paths.coverage(endpointPattern) : Coverage.NONE;
    }

    /** Returns the coverage by one of the configured paths alone. */
    public Coverage coverage(String path, @Nullable String method, String endpointPattern) {
        return paths != null && matchesMethod(method) ? paths.coverage(path, endpointPattern) : Coverage.NONE;
    }

    /**
     * Returns whether the rule is for the method. Unknown methods reach endpoints that do not restrict methods, so
     * every rule covers them.
     */
    private boolean matchesMethod(@Nullable String method) {
        return methods.isEmpty()
                || method == null
                || methods.contains(method)
                || (method.equals("HEAD") && methods.contains("GET"))
                || !METHODS.contains(method);
    }
}
