package dev.limiter.spring.expression;

import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.util.ConcurrentReferenceHashMap;

/** What expressions can refer to: {@code #request}, and parameters of the method by name and as {@code #p0}, {@code #a0}. */
final class Variables {

    static final String REQUEST = "request";

    private static final DefaultParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();
    private static final String[] NO_NAMES = {};
    private static final Map<Method, String[]> NAMES = new ConcurrentReferenceHashMap<>();

    private Variables() {}

    /** The parameter that {@code name} stands for, or -1. */
    static int parameterIndex(Method method, String name) {
        String[] names = parameterNames(method);
        for (int i = 0; i < names.length; i++) {
            if (name.equals(names[i])) {
                return i;
            }
        }
        return numbered(name, method.getParameterCount());
    }

    /** The names of the parameters, empty if the class was compiled without them. */
    static String[] parameterNames(Method method) {
        String[] names = NAMES.get(method);
        if (names == null) {
            @Nullable String[] found = DISCOVERER.getParameterNames(method);
            names = found == null ? NO_NAMES : found;
            NAMES.put(method, names);
        }
        return names;
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
