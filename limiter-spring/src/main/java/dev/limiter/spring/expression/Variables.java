package dev.limiter.spring.expression;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.util.ConcurrentReferenceHashMap;

/** The names of variables, including the parameters of methods. Thread-safe. */
final class Variables {

    static final String REQUEST = "request";
    static final String RESPONSE = "response";
    static final String RESULT = "result";

    /** The key that code passes. */
    static final String KEY = "key";

    /** The outcome of a call. */
    static final List<String> OUTCOME = List.of(RESULT, "exception", RESPONSE);

    private final DefaultParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
    private final Map<Method, Map<String, Integer>> positions = new ConcurrentReferenceHashMap<>();

    /** Returns the positions of the parameters, by name and as {@code p0} and {@code a0}. */
    Map<String, Integer> of(Method method) {
        Map<String, Integer> known = positions.get(method);
        if (known == null) {
            known = find(method);
            positions.put(method, known);
        }
        return known;
    }

    private Map<String, Integer> find(Method method) {
        Map<String, Integer> found = new LinkedHashMap<>();
        @Nullable String[] names = discoverer.getParameterNames(method);
        for (int i = 0; names != null && i < names.length; i++) {
            if (names[i] != null) {
                found.put(names[i], i);
            }
        }
        for (int i = 0; i < method.getParameterCount(); i++) {
            found.putIfAbsent("p" + i, i);
            found.putIfAbsent("a" + i, i);
        }
        return found;
    }
}
