package dev.limiter.spring.web.explain;

import dev.limiter.spring.address.Sender;
import dev.limiter.spring.operate.HypotheticalRequest;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletMapping;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.MappingMatch;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/**
 * A request as it would arrive at the servlet of Spring MVC. It has only the described parts: no session, no body, and
 * no attribute of the surrounding request of the operator. Not thread-safe.
 */
final class ExplainedRequest extends HttpServletRequestWrapper implements Sender {

    private final HypotheticalRequest asked;
    private final String servlet;
    private final String path;
    private final Map<String, Object> attributes = new HashMap<>();

    /**
     * @param operators the request of the operator
     * @param servlet the path of Spring MVC's servlet, such as {@code /mvc}; empty for the root
     * @throws IllegalArgumentException if the path cannot be decoded
     */
    ExplainedRequest(HttpServletRequest operators, HypotheticalRequest asked, String servlet) {
        super(operators);
        this.asked = asked;
        this.servlet = servlet;
        this.path = UriUtils.decode(asked.path().replaceAll(";[^/]*", ""), StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable String peer() {
        return asked.address();
    }

    @Override
    public @Nullable String claimed() {
        return null;
    }

    /** That of the cookies is there as a browser would send it. */
    @Override
    public List<String> header(String name) {
        List<String> values = asked.headers().get(name);
        if (values == null
                && name.equalsIgnoreCase("Cookie")
                && !asked.cookies().isEmpty()) {
            return List.of(asked.cookies().entrySet().stream()
                    .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                    .collect(Collectors.joining("; ")));
        }
        return values == null ? List.of() : values;
    }

    @Override
    public String getMethod() {
        return asked.method();
    }

    @Override
    public String getRequestURI() {
        return asked.path();
    }

    @Override
    public StringBuffer getRequestURL() {
        return new StringBuffer("http://localhost").append(asked.path());
    }

    @Override
    public String getContextPath() {
        return "";
    }

    @Override
    public String getServletPath() {
        return servlet.isEmpty() ? path : servlet;
    }

    @Override
    public @Nullable String getPathInfo() {
        return servlet.isEmpty() || !path.startsWith(servlet) ? null : path.substring(servlet.length());
    }

    @Override
    public @Nullable String getPathTranslated() {
        return null;
    }

    @Override
    public HttpServletMapping getHttpServletMapping() {
        return new Mapping(servlet);
    }

    /** That of Spring MVC's servlet: of all paths, or of all below one. */
    private record Mapping(String servlet) implements HttpServletMapping {

        @Override
        public String getMatchValue() {
            return "";
        }

        @Override
        public String getPattern() {
            return servlet.isEmpty() ? "/" : servlet + "/*";
        }

        @Override
        public String getServletName() {
            return "dispatcherServlet";
        }

        @Override
        public MappingMatch getMappingMatch() {
            return servlet.isEmpty() ? MappingMatch.DEFAULT : MappingMatch.PATH;
        }
    }

    @Override
    public @Nullable String getQueryString() {
        return asked.query();
    }

    @Override
    public @Nullable String getHeader(String name) {
        List<String> values = header(name);
        return values.isEmpty() ? null : values.get(0);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return Collections.enumeration(header(name));
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        return Collections.enumeration(asked.headers().keySet());
    }

    @Override
    public int getIntHeader(String name) {
        String value = getHeader(name);
        return value == null ? -1 : Integer.parseInt(value);
    }

    @Override
    public long getDateHeader(String name) {
        return -1;
    }

    @Override
    public @Nullable String getContentType() {
        return getHeader("Content-Type");
    }

    @Override
    public int getContentLength() {
        long length = getContentLengthLong();
        return length > Integer.MAX_VALUE ? -1 : (int) length;
    }

    @Override
    public long getContentLengthLong() {
        String length = getHeader("Content-Length");
        return length != null && length.matches("[0-9]{1,18}") ? Long.parseLong(length) : -1;
    }

    @Override
    public Cookie @Nullable [] getCookies() {
        return asked.cookies().isEmpty()
                ? null
                : asked.cookies().entrySet().stream()
                        .map(cookie -> new Cookie(cookie.getKey(), cookie.getValue()))
                        .toArray(Cookie[]::new);
    }

    @Override
    public @Nullable String getParameter(String name) {
        List<String> values = asked.parameters().get(name);
        return values == null ? null : values.get(0);
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        List<String> values = asked.parameters().get(name);
        return values == null ? null : values.toArray(String[]::new);
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        Map<String, String[]> all = new LinkedHashMap<>();
        asked.parameters().forEach((name, values) -> all.put(name, values.toArray(String[]::new)));
        return all;
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(asked.parameters().keySet());
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
        return asked.principal() == null ? null : asked::principal;
    }

    @Override
    public @Nullable String getRemoteUser() {
        return asked.principal();
    }

    @Override
    public @Nullable String getAuthType() {
        return null;
    }

    @Override
    public boolean isUserInRole(String role) {
        return asked.roles().contains(role) || asked.roles().contains("ROLE_" + role);
    }

    @Override
    public @Nullable String getRemoteAddr() {
        return asked.address();
    }

    @Override
    public @Nullable String getRemoteHost() {
        return asked.address();
    }

    @Override
    public @Nullable HttpSession getSession(boolean create) {
        return null;
    }

    @Override
    public @Nullable HttpSession getSession() {
        return null;
    }

    @Override
    public @Nullable String getRequestedSessionId() {
        return null;
    }

    @Override
    public boolean isRequestedSessionIdValid() {
        return false;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public Enumeration<String> getAttributeNames() {
        return Collections.enumeration(attributes.keySet());
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        if (value == null) {
            attributes.remove(name);
        } else {
            attributes.put(name, value);
        }
    }

    @Override
    public void removeAttribute(String name) {
        attributes.remove(name);
    }

    @Override
    public DispatcherType getDispatcherType() {
        return DispatcherType.REQUEST;
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public boolean isAsyncStarted() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException("Nobody has sent this request");
    }

    @Override
    public ServletInputStream getInputStream() {
        throw new IllegalStateException("Nobody has sent this request: it has no body");
    }

    @Override
    public BufferedReader getReader() {
        throw new IllegalStateException("Nobody has sent this request: it has no body");
    }
}
