package dev.limiter.spring.web.route;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UriUtils;

/**
 * The readings of a path before routing, one for each kind of handler that may serve it. Spring MVC, and Spring
 * Security with path patterns, parse what was sent; other servlets and filters go by what the container has made of it:
 * decoded, without dots and parameters.
 */
public final class PathReadings {

    private PathReadings() {}

    /** One or two paths within the application. */
    public static List<PathContainer> of(HttpServletRequest request) {
        String mapped = mapped(request);
        boolean plain =
                request.getPathInfo() == null && request.getRequestURI().equals(request.getContextPath() + mapped);
        PathContainer container = PathContainer.parsePath(encoded(mapped));
        if (plain) {
            return List.of(container);
        }
        try {
            // Not a path that is remembered: filters since then may have wrapped the request.
            return List.of(ServletRequestPathUtils.parse(request).pathWithinApplication(), container);
        } catch (IllegalArgumentException notForSpring) {
            // Spring MVC could not route it either: its path does not begin with that of the servlet as it is written.
            return List.of(container);
        }
    }

    private static String mapped(HttpServletRequest request) {
        String pathInfo = request.getPathInfo();
        return pathInfo == null ? request.getServletPath() : request.getServletPath() + pathInfo;
    }

    private static String encoded(String path) {
        return UriUtils.encodePath(path, StandardCharsets.UTF_8).replace(";", "%3B");
    }
}
