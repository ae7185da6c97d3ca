package dev.limiter.spring.edge;

import java.util.Set;

/** The names of resources: a method and a pattern. */
public final class Resources {

    /** Replaces the method where the mapping declares none, or several. */
    public static final String ANY_METHOD = "*";

    /** The pattern of handlers that are mapped without one. */
    public static final String ALL_PATHS = "/**";

    /** The resource of requests that no endpoint serves: static files, unknown URLs, OPTIONS handled by Spring. */
    public static final String UNSERVED = ANY_METHOD + " " + ALL_PATHS;

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

    private Resources() {}

    /** Returns the method of a request; {@link #ANY_METHOD} for every method that a client invents. */
    public static String knownMethod(String method) {
        return METHODS.contains(method) ? method : ANY_METHOD;
    }
}
