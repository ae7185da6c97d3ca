package dev.limiter.benchmarks.web;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.mock.web.MockHttpServletRequest;

/**
 * A request that is reused, as in Tomcat, so the measurement does not include creating a mock. Finds headers as
 * Tomcat does, without creating a string. Not thread-safe.
 */
final class RecycledRequest extends MockHttpServletRequest {

    private static final String[] HEADERS = {"Host", "Accept", "User-Agent"};
    private static final String[] VALUES = {"localhost", "*/*", "benchmark"};

    private final Map<String, Object> routed = new HashMap<>();
    private final Map<String, Object> own = new HashMap<>();
    private boolean isRouted;

    RecycledRequest(String method, String path) {
        super(method, path);
        setServletPath(path);
        setRemoteAddr("192.0.2.1");
    }

    /** Keeps the attributes that are set now when the request is recycled. */
    void routed() {
        isRouted = true;
    }

    void recycle() {
        own.clear();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        Object value = own.get(name);
        return value != null ? value : routed.get(name);
    }

    @Override
    public void setAttribute(String name, Object value) {
        (isRouted ? own : routed).put(name, value);
    }

    @Override
    public void removeAttribute(String name) {
        (isRouted ? own : routed).remove(name);
    }

    @Override
    public @Nullable String getHeader(String name) {
        for (int i = 0; i < HEADERS.length; i++) {
            if (HEADERS[i].equalsIgnoreCase(name)) {
                return VALUES[i];
            }
        }
        return null;
    }
}
