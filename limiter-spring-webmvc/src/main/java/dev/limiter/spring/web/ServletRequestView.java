package dev.limiter.spring.web;

import dev.limiter.spring.address.AddressSettings;
import dev.limiter.spring.address.ClientAddress;
import dev.limiter.spring.address.ClientAddresses;
import dev.limiter.spring.context.RequestView;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.WebUtils;

/**
 * A view of a servlet request. Reads values on demand, and caches the client's address. Not thread-safe.
 */
public final class ServletRequestView implements RequestView {

    private static final ClientAddresses NONE_TRUSTED = new ClientAddresses(AddressSettings.DEFAULT);

    private final HttpServletRequest request;
    private final ClientAddresses addresses;
    private @Nullable String clientAddress;

    public ServletRequestView(HttpServletRequest request, ClientAddresses addresses) {
        this.request = request;
        this.addresses = addresses;
    }

    /** Creates a view without trusted proxies. */
    public ServletRequestView(HttpServletRequest request) {
        this(request, NONE_TRUSTED);
    }

    /** Returns the path that Spring parsed for routing. */
    public static PathContainer parsedPath(HttpServletRequest request) {
        return ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication()
                : ServletRequestPathUtils.parse(request).pathWithinApplication();
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return parsedPath(request).value();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return request.getHeader(name);
    }

    @Override
    public @Nullable String getParameter(String name) {
        try {
            return request.getParameter(name);
        } catch (RuntimeException unreadable) {
            // Servlet 6.1 throws for parameters that cannot be decoded, which is the client's fault.
            return null;
        }
    }

    @Override
    public @Nullable String cookie(String name) {
        Cookie cookie = WebUtils.getCookie(request, name);
        return cookie == null ? null : cookie.getValue();
    }

    @Override
    public @Nullable String sessionId() {
        HttpSession session = request.getSession(false);
        return session == null ? null : session.getId();
    }

    @Override
    public @Nullable String pattern() {
        Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        return pattern == null ? null : pattern.toString();
    }

    @Override
    public @Nullable String pathVariable(String name) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        Object value = variables instanceof Map<?, ?> map ? map.get(name) : null;
        return value == null ? null : value.toString();
    }

    @Override
    public @Nullable Principal principal() {
        return request.getUserPrincipal();
    }

    @Override
    public boolean isUserInRole(String role) {
        return request.isUserInRole(role);
    }

    @Override
    public @Nullable String clientAddress() {
        if (clientAddress == null) {
            clientAddress = addresses.of(ServletSender.of(request));
        }
        return clientAddress;
    }

    @Override
    public @Nullable ClientAddress client() {
        return addresses.find(ServletSender.of(request));
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        return WebUtils.getNativeRequest(request, type);
    }
}
