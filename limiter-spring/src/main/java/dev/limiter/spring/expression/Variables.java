package dev.limiter.spring.expression;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The variables of expressions: {@code #request}, and parameters of the method by name and as {@code #p0}, {@code #a0}.
 * Thread-safe.
 */
final class Variables {

    static final String REQUEST = "request";
    static final String RESPONSE = "response";
    static final String RESULT = "result";
    static final String EXCEPTION = "exception";

    /** How a call went. */
    static final Set<String> OUTCOME =
            Collections.unmodifiableSet(new LinkedHashSet<>(List.of(RESULT, EXCEPTION, RESPONSE)));

    private static final String[] NO_NAMES = {};

    private final DefaultParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
    private final Map<Method, String[]> names = new ConcurrentReferenceHashMap<>();

    /** The parameter that {@code name} stands for, or -1. */
    int parameterIndex(Method method, String name) {
        String[] parameters = parameterNames(method);
        for (int i = 0; i < parameters.length; i++) {
            if (name.equals(parameters[i])) {
                return i;
            }
        }
        return numbered(name, method.getParameterCount());
    }

    /** The names of the parameters, empty if the class was compiled without them. */
    String[] parameterNames(Method method) {
        String[] known = names.get(method);
        if (known == null) {
            @Nullable String[] found = discoverer.getParameterNames(method);
            known = found == null ? NO_NAMES : found;
            names.put(method, known);
        }
        return known;
    }

    private static int numbered(String name, int count) {
        if (name.length() < 2 || (name.charAt(0) != 'p' && name.charAt(0) != 'a')) {
            return -1;
        }
        int index = 0;
        for (int i = 1; i < name.length(); i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            index = index * 10 + digit;
            if (index >= count) {
                return -1;
            }
        }
        return index;
    }
}
