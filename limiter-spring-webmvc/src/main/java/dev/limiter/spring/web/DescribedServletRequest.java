package dev.limiter.spring.web;

import dev.limiter.spring.operate.RequestDescription;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import org.springframework.web.util.UriUtils;

/**
 * A hypothetical servlet request, with everything that Spring MVC's mappings and rules read. It has no session and no
 * body: all other methods return null, false, 0 or an empty enumeration. Not thread-safe.
 */
final class DescribedServletRequest implements InvocationHandler {

    private final RequestDescription asked;
    private final Map<String, String[]> parameters;
    private final Map<String, @Nullable Object> attributes = new HashMap<>();

    private DescribedServletRequest(RequestDescription asked) {
        this.asked = asked;
        this.parameters = parameters(asked.query());
    }

    /** @throws IllegalArgumentException if the path or the query cannot be decoded */
    static HttpServletRequest of(RequestDescription asked) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                new DescribedServletRequest(asked));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = arguments == null ? "" : String.valueOf(arguments[0]);
        return switch (method.getName()) {
            case "getMethod" -> asked.method();
            case "getRequestURI" -> asked.path();
            case "getRequestURL" -> new StringBuffer("http://localhost" + asked.path());
            case "getContextPath" -> "";
            case "getServletPath" -> decoded(asked.path().replaceAll(";[^/]*", ""));
            case "getQueryString" -> asked.query();
            case "getParameter" -> parameters.containsKey(name) ? parameters.get(name)[0] : null;
            case "getParameterValues" -> parameters.get(name);
            case "getParameterNames" -> enumeration(parameters.keySet());
            case "getParameterMap" -> parameters;
            case "getHeader" -> headers(name).stream().findFirst().orElse(null);
            case "getHeaders" -> enumeration(headers(name));
            case "getHeaderNames" -> enumeration(asked.headers().keySet());
            case "getContentType" ->
                headers("Content-Type").stream().findFirst().orElse(null);
            case "getCookies" -> cookies();
            case "getRemoteAddr", "getRemoteHost" -> asked.address();
            case "getRemoteUser" -> asked.principal();
            case "getUserPrincipal" -> asked.principal() == null ? null : (Principal) asked::principal;
            case "isUserInRole" -> asked.roles().contains(name) || asked.roles().contains("ROLE_" + name);
            case "getDispatcherType" -> DispatcherType.REQUEST;
            case "getAttribute" -> attributes.get(name);
            case "getAttributeNames" -> enumeration(attributes.keySet());
            case "setAttribute" -> arguments == null ? null : attributes.put(name, arguments[1]);
            case "removeAttribute" -> attributes.remove(name);
            case "toString" -> asked.toString();
            default ->
                method.isDefault()
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : absent(method.getReturnType());
        };
    }

    private static @Nullable Object absent(Class<?> type) {
        if (type.isPrimitive() && type != void.class) {
            return Array.get(Array.newInstance(type, 1), 0);
        }
        return type == Enumeration.class ? Collections.emptyEnumeration() : null;
    }

    private List<String> headers(String name) {
        return asked.headers().getOrDefault(name, List.of());
    }

    /** Enumerates a copy, because mappings remove attributes during enumeration. */
    private static Enumeration<String> enumeration(Collection<String> values) {
        return Collections.enumeration(List.copyOf(values));
    }

    private Cookie @Nullable [] cookies() {
        List<String> lines = headers("Cookie");
        return lines.isEmpty()
                ? null
                : lines.stream()
                        .flatMap(line -> List.of(line.split("; *")).stream())
                        .filter(pair -> pair.indexOf('=') > 0)
                        .map(pair -> pair.split("=", 2))
                        .map(pair -> new Cookie(pair[0], pair[1]))
                        .toArray(Cookie[]::new);
    }

    private static Map<String, String[]> parameters(@Nullable String query) {
        Map<String, String[]> parameters = new LinkedHashMap<>();
        for (String pair : StringUtils.tokenizeToStringArray(query, "&")) {
            String[] parts = (pair + "=").replace('+', ' ').split("=", 3);
            parameters.merge(decoded(parts[0]), new String[] {decoded(parts[1])}, StringUtils::concatenateStringArrays);
        }
        return parameters;
    }

    private static String decoded(String text) {
        return UriUtils.decode(text, StandardCharsets.UTF_8);
    }
}
