package dev.limiter.spring.web.dashboard;

import dev.limiter.spring.web.dashboard.DashboardMapping.Csrf;
import dev.limiter.spring.web.dashboard.DashboardMapping.CsrfTokens;
import dev.limiter.spring.web.dashboard.DashboardMapping.EndpointPaths;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The files of the page, and what it has to know of the application. Thread-safe. */
final class DashboardFiles {

    private static final String CONNECTION = "connection.json";

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> TYPES = Map.of(
            "html",
            "text/html",
            "svg",
            "image/svg+xml",
            "css",
            "text/css",
            "js",
            "text/javascript",
            "json",
            "application/json");

    /** The charts: the files of a webjar, by the names that the page has for them. */
    private static final Map<String, String> CHARTS =
            Map.of("uplot.js", "uPlot.iife.min.js", "uplot.css", "uPlot.min.css");

    private static final String WEBJAR = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private static final Set<String> NAMES = Set.of(
            "index.html",
            "icon.svg",
            "page.css",
            "page.js",
            "elements.js",
            "words.js",
            "endpoint.js",
            "charts.js",
            "rules.js",
            "panel.js",
            "standing.js",
            CONNECTION);

    private final EndpointPaths endpoints;
    private final CsrfTokens csrf;

    DashboardFiles(EndpointPaths endpoints, CsrfTokens csrf) {
        this.endpoints = endpoints;
        this.csrf = csrf;
    }

    /** The file of a path below that of the page; null if there is none. */
    static @Nullable String named(String path) {
        String name = path.equals("/") ? "index.html" : path.substring(1);
        return path.startsWith("/") && (NAMES.contains(name) || CHARTS.containsKey(name)) ? name : null;
    }

    void redirect(String target, HttpServletResponse answer) {
        answer.setStatus(HttpServletResponse.SC_FOUND);
        answer.setHeader("Location", target);
        answer.setHeader("Cache-Control", "no-store");
    }

    /** {@code servlet}: what the paths of the servlet begin with. */
    void serve(String name, String servlet, HttpServletRequest request, HttpServletResponse answer) throws IOException {
        answer.setContentType(TYPES.get(name.substring(name.indexOf('.') + 1)));
        answer.setCharacterEncoding("UTF-8");
        answer.setHeader("Cache-Control", "no-store");
        answer.setHeader("Content-Security-Policy", POLICY);
        answer.setHeader("X-Content-Type-Options", "nosniff");
        answer.setHeader("Referrer-Policy", "no-referrer");
        byte[] body = name.equals(CONNECTION) ? connection(servlet, request) : read(name);
        answer.setContentLength(body.length);
        if (!request.getMethod().equals("HEAD")) {
            answer.getOutputStream().write(body);
        }
    }

    private static byte[] read(String name) throws IOException {
        String chart = CHARTS.get(name);
        try (InputStream file = DashboardFiles.class.getResourceAsStream(chart == null ? name : WEBJAR + chart)) {
            if (file == null) {
                throw new IOException("The file " + name + " of the dashboard is missing");
            }
            return file.readAllBytes();
        }
    }

    private byte[] connection(String servlet, HttpServletRequest request) {
        StringBuilder json = new StringBuilder("{\"endpoint\": ").append(endpoint("limiter", servlet));
        json.append(", \"audit\": ").append(endpoint("auditevents", servlet));
        Csrf protection = csrf.of(new ServletRequestAttributes(request));
        if (protection != null) {
            json.append(", \"csrf\": {\"header\": ").append(JsonText.quoted(protection.header()));
            json.append(", \"tokens\": [")
                    .append(protection.tokens().stream().map(JsonText::quoted).collect(Collectors.joining(", ")))
                    .append("]}");
        }
        return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private String endpoint(String id, String servlet) {
        String path = endpoints.of(id);
        return path == null ? "null" : JsonText.quoted(servlet + path);
    }
}
