package dev.limiter.spring.context;

import dev.limiter.spring.address.ClientAddress;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** A servlet request. Reads when asked, keeps nothing. */
public record ServletRequestView(HttpServletRequest request) implements RequestView {

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        if (ServletRequestPathUtils.hasParsedRequestPath(request)) {
            RequestPath parsed = ServletRequestPathUtils.getParsedRequestPath(request);
            return parsed.pathWithinApplication().value();
        }
        return request.getRequestURI();
    }

    @Override
    public @Nullable String getHeader(String name) {
        return request.getHeader(name);
    }

    @Override
    public @Nullable String getParameter(String name) {
        return request.getParameter(name);
    }

    @Override
    public @Nullable String cookie(String name) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(name)) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }

    @Override
    public @Nullable String sessionId() {
        HttpSession session = request.getSession(false);
        return session == null ? null : session.getId();
    }

    @Override
    public @Nullable String pathVariable(String name) {
        Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return variables instanceof Map<?, ?> map && map.get(name) instanceof String value ? value : null;
    }

    @Override
    public @Nullable Principal principal() {
        return request.getUserPrincipal();
    }

    @Override
    public boolean isUserInRole(String role) {
        return request.isUserInRole(role);
    }

    /** The container's peer: a wrapper, such as the one for forwarded headers, would say what the client claims. */
    @Override
    public @Nullable String clientAddress() {
        ServletRequest unwrapped = request;
        while (unwrapped instanceof ServletRequestWrapper wrapper) {
            unwrapped = wrapper.getRequest();
        }
        return ClientAddress.of(unwrapped.getRemoteAddr());
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        ServletRequest candidate = request;
        while (!type.isInstance(candidate)) {
            if (!(candidate instanceof ServletRequestWrapper wrapper)) {
                return null;
            }
            candidate = wrapper.getRequest();
        }
        return type.cast(candidate);
    }
}
